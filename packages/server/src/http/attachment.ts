/**
 * Formats a `Content-Disposition` header with which browsers save the response under this name, whatever characters it
 * contains.
 */
export function formatAttachment(name: string): string {
  return `attachment; filename*=UTF-8''${encodeHeaderText(name)}`;
}

/** Encodes text for a header by RFC 8187, which leaves fewer characters unescaped than a URL. */
function encodeHeaderText(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  return encoded.replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A `Content-Disposition` that makes browsers save the response under this name, whatever characters it has. */
export function formatAttachment(name: string): string {
  return `attachment; filename*=UTF-8''${encodeHeaderText(name)}`;
}

/** Encodes as RFC 8187 requires, which leaves fewer characters unescaped than a URL does. */
function encodeHeaderText(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  return encoded.replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

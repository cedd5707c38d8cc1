export type TextPart = { text: string; href?: string };

/** Splits a text at its URLs that start with http:// or https://. The joined parts are the original text. */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"'`]+/gi)) {
    const address = withoutEnding(match[0]);
    if (!URL.canParse(address)) continue;
    if (match.index > at) parts.push({ text: text.slice(at, match.index) });
    parts.push({ text: address, href: address });
    at = match.index + address.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/**
 * Removes punctuation that ends a sentence. It does not use a regular expression, because one anchored at the end
 * restarts at every character.
 */
function withoutEnding(address: string): string {
  let end = address.length;
  while (".,;:!?)]}*_".includes(address.charAt(end - 1)) && end > 0) end--;
  return address.slice(0, end);
}

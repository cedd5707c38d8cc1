export type TextPart = { text: string; href?: string };

/** Splits a text at the addresses in it that start with http:// or https://. The parts make the text again; nothing else is a link. */
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

/** What ends the sentence is not part of the address. No pattern: one that looks for an end begins anew at every character. */
function withoutEnding(address: string): string {
  let end = address.length;
  while (".,;:!?)]}*_".includes(address.charAt(end - 1)) && end > 0) end--;
  return address.slice(0, end);
}

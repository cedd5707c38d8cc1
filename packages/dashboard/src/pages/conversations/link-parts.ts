export type TextPart = { text: string; href?: string };

/** Splits a text at the addresses in it that start with http:// or https://. The parts make the text again; nothing else is a link. */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"'`]+/gi)) {
    // What ends the sentence is not part of the address.
    const address = match[0].replace(/[.,;:!?)\]}*_]+$/, "");
    if (!URL.canParse(address)) continue;
    if (match.index > at) parts.push({ text: text.slice(at, match.index) });
    parts.push({ text: address, href: address });
    at = match.index + address.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

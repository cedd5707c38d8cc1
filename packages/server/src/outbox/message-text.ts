/** Matches what email programs turn into links: URLs with a scheme, and host names. Email addresses do not match. */
const links = /\b[a-z][a-z\d+.-]{1,20}:\/\/\S*|(?<![@\w.-])(?:[\w-]+\.)+[a-z]{2,}\b(?!@)\S*/giu;

/** Replaces each link with an ellipsis. Use it for text from a person whom the reader may not know. */
export const removeLinks = (text: string) => text.replace(links, "…");

export const toSingleLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

const graphemes = new Intl.Segmenter();

/**
 * Shortens a text to at most `length` characters of Unicode, with an ellipsis at the end if something was cut off. What
 * readers see as one character, such as a flag, is kept or left out as a whole.
 */
export function truncateText(text: string, length: number): string {
  const characters = Array.from(text);
  if (characters.length <= length) return text;
  const end = characters.slice(0, length - 1).join("").length;
  return `${text.slice(0, graphemes.segment(text).containing(end)?.index ?? end)}…`;
}

import { type Operators, readGlyphs } from "./pdf-ligatures.ts";

const SOFT_HYPHEN = "\u00ad";
/** The length from which on a piece is found among the glyphs after text that pdf.js leaves out, such as cropped text. */
const MIN_LENGTH = 8;

export const hasSoftHyphen = ({ argsArray }: Operators): boolean =>
  argsArray.some((args) => Array.isArray(args) && readGlyphs(args[0]).includes(SOFT_HYPHEN));

/**
 * Inserts the hyphens that pdf.js drops because their font calls them soft hyphens, which would turn "31.6053-1" into
 * 31.60531. The glyphs of a page and the characters of its pieces have the same order. Pieces that are not found among
 * the glyphs, such as right-to-left text, stay as they are.
 */
export function insertHyphens(pieces: readonly { str: string }[], { argsArray }: Operators): void {
  let glyphs = "";
  /** the numbers of characters after which hyphens follow */
  const hyphens = new Set<number>();
  for (const glyph of argsArray.flatMap((args) => (Array.isArray(args) ? readGlyphs(args[0]) : []))) {
    if (glyph === SOFT_HYPHEN) hyphens.add(glyphs.length);
    else glyphs += glyph.replace(/\s+/g, "");
  }
  let index = 0;
  for (const piece of pieces) {
    const characters = piece.str.replace(/\s+/g, "");
    const start = glyphs.startsWith(characters, index) ? index : find(characters, index);
    if (characters === "" || start === -1) continue;
    index = start;
    piece.str = piece.str.replace(/\S/g, (character) => character + (hyphens.has(++index) ? "-" : ""));
  }

  function find(characters: string, from: number): number {
    return characters.length < MIN_LENGTH ? -1 : glyphs.indexOf(characters, from);
  }
}

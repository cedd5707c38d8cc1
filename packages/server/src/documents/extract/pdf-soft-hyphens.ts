import { constants, inflateSync } from "node:zlib";
import { type Operators, readGlyphs } from "./pdf-ligatures.ts";

const SOFT_HYPHEN = "\u00ad";
const SOFT_HYPHEN_CODE = 0xad;
/** The length from which on a piece is found among the glyphs after text that pdf.js leaves out, such as cropped text. */
const MIN_LENGTH = 8;

/** The number of streams that are looked at. Files with more of them are rare. */
const MAX_STREAMS = 50_000;
/** The number of compressed bytes that tell what a stream is. */
const HEAD_BYTES = 256;
const MAX_MAP_BYTES = 1024 * 1024;
const MAX_MAP_CHARACTERS = 8 * MAX_MAP_BYTES;

/**
 * Whether a font in the file maps a glyph to the soft hyphen. The drawing of each page tells where such glyphs are, but
 * reading it takes 9 ms for three pages, and looking through the file takes 0.3 ms. The streams of encrypted files
 * cannot be read here, so that any of their fonts may have the glyph.
 */
export function mayHaveSoftHyphens(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (["/Encrypt", "/sfthyphen", "/softhyphen", "/uni00AD"].some((name) => bytes.includes(name))) return true;
  let end = 0;
  for (let count = 0; count < MAX_STREAMS; count++) {
    const keyword = bytes.indexOf("stream", end);
    if (keyword === -1) return false;
    end = keyword + "stream".length;
    while (bytes[end] === CARRIAGE_RETURN || bytes[end] === LINE_FEED) end++;
    if (isCharacterMap(readStream(bytes, end, HEAD_BYTES)) && mapsToSoftHyphen(readStream(bytes, end, MAX_MAP_BYTES)))
      return true;
  }
  return true;
}

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const DEFLATE = 8;

/** The first bytes of a stream, which are uncompressed or compressed with zlib. Other data has no meaning as text. */
function readStream(bytes: Buffer, start: number, length: number): string {
  const part = bytes.subarray(start, start + length);
  if (((part[0] ?? 0) & 0x0f) !== DEFLATE) return part.toString("latin1");
  try {
    // The part may end in the middle of the data, or after it.
    return inflateSync(part, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_MAP_CHARACTERS }).toString(
      "latin1",
    );
  } catch {
    return "";
  }
}

const isCharacterMap = (text: string) => /begincmap|CIDInit|beginbf/.test(text);

function mapsToSoftHyphen(text: string): boolean {
  const [map = ""] = text.split("endcmap", 1);
  if (/<00ad>/i.test(map)) return true;
  return map
    .matchAll(/<([0-9a-f]{1,8})>\s*<([0-9a-f]{1,8})>\s*<([0-9a-f]{4})>/gi)
    .some(([, from = "", to = "", first = ""]) => {
      const offset = SOFT_HYPHEN_CODE - Number.parseInt(first, 16);
      return offset >= 0 && offset <= Number.parseInt(to, 16) - Number.parseInt(from, 16);
    });
}

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

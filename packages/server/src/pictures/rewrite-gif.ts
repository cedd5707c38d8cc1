import { createPartCounter, PictureError, type RewrittenPicture, slice, truncatedError } from "./picture.ts";

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** The applications whose data are kept: the number of repetitions, and the color profile. */
const applications = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);

/** The bytes of a color table, whose size is part of the flags before it. */
const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Keeps the frames, their timing and colors. Leaves out comments, XMP and everything after the end of the picture. */
export function rewriteGif(bytes: Buffer): RewrittenPicture {
  const header = slice(bytes, 0, HEADER_BYTES);
  const width = header.readUInt16LE(6);
  const height = header.readUInt16LE(8);
  let at = HEADER_BYTES + tableBytes(header[10] ?? 0);
  const parts = [slice(bytes, 0, at)];
  let frames = 0;
  const countPart = createPartCounter();
  for (;;) {
    countPart();
    const start = at;
    const kind = bytes[at];
    if (kind === TRAILER || (kind === undefined && frames > 0)) break;
    if (kind === IMAGE) {
      const descriptor = slice(bytes, at, 10);
      const right = descriptor.readUInt16LE(1) + descriptor.readUInt16LE(5);
      const bottom = descriptor.readUInt16LE(3) + descriptor.readUInt16LE(7);
      if (right > width || bottom > height)
        throw new PictureError("A frame of the picture is larger than the picture.");
      // The smallest code size follows the color table.
      at = findEndOfBlocks(bytes, at + 10 + tableBytes(descriptor[9] ?? 0) + 1);
      frames++;
      parts.push(bytes.subarray(start, at));
    } else if (kind === EXTENSION) {
      const label = bytes[at + 1];
      at = findEndOfBlocks(bytes, at + 2);
      const isKept =
        label === GRAPHIC_CONTROL ||
        (label === APPLICATION && applications.has(bytes.toString("latin1", start + 3, start + 14)));
      if (isKept) parts.push(bytes.subarray(start, at));
    } else throw truncatedError();
  }
  if (frames === 0) throw truncatedError();
  return { parts: [...parts, Buffer.from([TRAILER])], width, height, frames, orientation: 1 };
}

/** The position after a list of blocks, each of which begins with its length. An empty block ends the list. */
function findEndOfBlocks(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    const length = bytes[at];
    if (length === undefined) throw truncatedError();
    at += 1 + length;
    if (length === 0) return at;
  }
}

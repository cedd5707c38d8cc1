import { crc32 } from "node:zlib";
import { createOrientation, readOrientation } from "./exif.ts";
import { createPartCounter, type RewrittenPicture, slice, truncatedError } from "./picture.ts";

const SIGNATURE_BYTES = 8;

/** The chunks that are kept: those that decoding needs, colors, density, and the frames of animations. */
const kept = new Set(
  "IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs hIST acTL fcTL fdAT".split(" "),
);

/** Leaves out texts, times, private chunks and everything after the end of the picture. Of Exif, keeps the orientation. */
export function rewritePng(bytes: Buffer): RewrittenPicture {
  const chunks: Buffer[] = [];
  let size: { width: number; height: number } | null = null;
  let hasData = false;
  let frames = 1;
  let controls = 0;
  let orientation = 1;
  const countPart = createPartCounter();
  for (let at = SIGNATURE_BYTES; ; ) {
    countPart();
    const length = slice(bytes, at, 8).readUInt32BE();
    const type = bytes.toString("latin1", at + 4, at + 8);
    const chunk = slice(bytes, at, length + 12);
    const data = chunk.subarray(8, 8 + length);
    at += chunk.length;
    if (size === null) {
      if (type !== "IHDR" || length !== 13) throw truncatedError();
      size = { width: data.readUInt32BE(0), height: data.readUInt32BE(4) };
    } else if (type === "IHDR") throw truncatedError();
    if (type === "eXIf") orientation = readOrientation(data);
    if (type === "acTL") frames = slice(data, 0, 4).readUInt32BE();
    if (type === "fcTL") controls++;
    if (type === "IDAT") hasData = true;
    if (kept.has(type)) chunks.push(chunk);
    if (type === "IEND") break;
  }
  if (!hasData) throw truncatedError();
  const [header, ...rest] = chunks;
  if (!header) throw truncatedError();
  const exif = orientation === 1 ? [] : [createChunk("eXIf", createOrientation(orientation))];
  return {
    parts: [bytes.subarray(0, SIGNATURE_BYTES), header, ...exif, ...rest],
    ...size,
    frames: Math.max(frames, controls, 1),
    orientation,
  };
}

function createChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, "latin1");
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

import { createOrientation, readOrientation } from "./exif.ts";
import { createPartCounter, PictureError, type RewrittenPicture, slice, truncatedError } from "./picture.ts";

const EXTENDED = "VP8X";
const kept = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]);
const inFrames = new Set(["VP8 ", "VP8L", "ALPH"]);
const FRAME_HEADER_BYTES = 16;
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;

type Chunk = { type: string; data: Buffer };
type Size = { width: number; height: number };

/** Keeps the picture or its frames and the color profile. Leaves out XMP, unknown chunks, and all Exif but the orientation. */
export function rewriteWebp(bytes: Buffer): RewrittenPicture {
  const length = slice(bytes, 0, 12).readUInt32LE(4);
  const countPart = createPartCounter();
  const chunks = readChunks(slice(bytes, 12, length - 4), countPart);
  const [first] = chunks;
  if (!first) throw truncatedError();
  const exif = chunks.find(({ type }) => type === "EXIF");
  const orientation = exif === undefined ? 1 : readExif(exif.data);
  const images = chunks.filter(({ type }) => type === "VP8 " || type === "VP8L");
  const frames = chunks.filter(({ type }) => type === "ANMF").map((frame) => rewriteFrame(frame, countPart));
  if (images.length + frames.length === 0 || images.length > 1) throw truncatedError();
  const canvas = first.type === EXTENDED ? readCanvas(first.data) : null;
  const sizes = [...images.map(readSize), ...frames.map(({ size }) => size), ...(canvas ? [canvas] : [])];
  const size = canvas ?? sizes[0];
  if (!size) throw truncatedError();
  if (sizes.some(({ width, height }) => width > size.width || height > size.height)) {
    throw new PictureError("A frame of the picture is larger than the picture.");
  }
  let frame = 0;
  const rewritten = chunks
    .filter(({ type }) => kept.has(type))
    .flatMap(({ type, data }): Buffer[] => {
      if (type === EXTENDED) return createChunk(type, withFlags(data, orientation !== 1));
      if (type === "ANMF") return createChunk(type, frames[frame++]?.data ?? data);
      return createChunk(type, data);
    });
  const hasOrientation = canvas !== null && orientation !== 1;
  const body = [...rewritten, ...(hasOrientation ? createChunk("EXIF", createOrientation(orientation)) : [])];
  const header = Buffer.alloc(12);
  header.write("RIFF", "latin1");
  header.writeUInt32LE(4 + body.reduce((sum, part) => sum + part.length, 0), 4);
  header.write("WEBP", 8, "latin1");
  return {
    parts: [header, ...body],
    ...size,
    frames: Math.max(frames.length, 1),
    orientation: hasOrientation ? orientation : 1,
  };
}

function readChunks(bytes: Buffer, countPart: () => void): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length; ) {
    countPart();
    const length = slice(bytes, at, 8).readUInt32LE(4);
    chunks.push({ type: bytes.toString("latin1", at, at + 4), data: slice(bytes, at + 8, length) });
    // Chunks of odd length are followed by a byte that does not count. The last one may lack it.
    at += 8 + length + (length % 2);
  }
  return chunks;
}

function createChunk(type: string, data: Buffer): Buffer[] {
  const header = Buffer.alloc(8);
  header.write(type, "latin1");
  header.writeUInt32LE(data.length, 4);
  return [header, data, ...(data.length % 2 ? [Buffer.alloc(1)] : [])];
}

/** Some programs write the prefix of JPEG before the data. */
function readExif(data: Buffer): number {
  return readOrientation(data.toString("latin1", 0, 6) === "Exif\0\0" ? data.subarray(6) : data);
}

function withFlags(data: Buffer, hasExif: boolean): Buffer {
  const copy = Buffer.from(data);
  copy[0] = ((copy[0] ?? 0) & ~(EXIF_FLAG | XMP_FLAG)) | (hasExif ? EXIF_FLAG : 0);
  return copy;
}

const readCanvas = (data: Buffer): Size => ({
  width: 1 + slice(data, 4, 3).readUIntLE(0, 3),
  height: 1 + slice(data, 7, 3).readUIntLE(0, 3),
});

/** A frame of an animation, without unknown chunks. */
function rewriteFrame({ data }: Chunk, countPart: () => void): { size: Size; data: Buffer } {
  const header = slice(data, 0, FRAME_HEADER_BYTES);
  const chunks = readChunks(data.subarray(FRAME_HEADER_BYTES), countPart).filter(({ type }) => inFrames.has(type));
  const image = chunks.find(({ type }) => type !== "ALPH");
  if (!image) throw truncatedError();
  const body = chunks.flatMap(({ type, data: content }) => createChunk(type, content));
  return { size: readSize(image), data: Buffer.concat([header, ...body]) };
}

/** The size that the compressed picture itself states. */
function readSize({ type, data }: Chunk): Size {
  if (type === "VP8 ") {
    const header = slice(data, 0, 10);
    if (header.readUIntBE(3, 3) !== 0x9d012a) throw truncatedError();
    return { width: header.readUInt16LE(6) & 0x3fff, height: header.readUInt16LE(8) & 0x3fff };
  }
  const header = slice(data, 0, 5);
  if (header[0] !== 0x2f) throw truncatedError();
  const bits = header.readUInt32LE(1);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

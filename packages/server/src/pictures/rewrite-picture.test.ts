import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { tinyPictures } from "../../../../test/tiny-pictures.ts";
import { createOrientation, readOrientation } from "./exif.ts";
import type { PictureType } from "./picture.ts";
import { detectPicture, rewritePicture } from "./rewrite-picture.ts";

const SECRET = "47.3769,8.5417";
const types = Object.keys(tinyPictures) as PictureType[];

/** Exif data with an orientation and a text. */
const exif = (orientation: number) => Buffer.concat([createOrientation(orientation), Buffer.from(SECRET)]);

function segment(marker: number, ...data: Array<string | Buffer>): Buffer {
  const body = Buffer.concat(data.map((part) => Buffer.from(part as string, "latin1")));
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

function pngChunk(type: string, data: string | Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), Buffer.from(data as string, "latin1")]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function webpChunk(type: string, data: string | Buffer): Buffer {
  const body = Buffer.from(data as string, "latin1");
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function webp(...chunks: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from("WEBP"), ...chunks]);
  const head = Buffer.from("RIFF\0\0\0\0", "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

const { "image/jpeg": jpeg, "image/png": png, "image/gif": gif, "image/webp": plainWebp } = tinyPictures;
const insert = (bytes: Buffer, at: number, ...parts: Buffer[]) =>
  Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)]);
const imageHeader = (width: number, height: number) => {
  const header = Buffer.from(png.subarray(16, 29));
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  return pngChunk("IHDR", header);
};
const pngOf = (width: number, height: number, ...chunks: Buffer[]) =>
  Buffer.concat([png.subarray(0, 8), imageHeader(width, height), ...chunks, png.subarray(33)]);

/** Each format with the location in every place that its metadata can be. */
const planted: Record<PictureType, Buffer> = {
  "image/jpeg": insert(
    jpeg,
    2,
    segment(0xe0, "JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01", SECRET),
    segment(0xe1, "Exif\0\0", exif(6)),
    segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", SECRET),
    segment(0xed, "Photoshop 3.0\0", SECRET),
    segment(0xe2, "MPF\0", SECRET),
    segment(0xe2, "ICC_PROFILE\0\x01\x01profile"),
    segment(0xfe, SECRET),
  ),
  "image/png": insert(
    png,
    33,
    pngChunk("eXIf", exif(6)),
    pngChunk("tEXt", `Comment\0${SECRET}`),
    pngChunk("zTXt", SECRET),
    pngChunk("iTXt", `XML:com.adobe.xmp\0${SECRET}`),
    pngChunk("prVt", SECRET),
    pngChunk("tIME", SECRET.slice(0, 7)),
  ),
  "image/gif": insert(
    gif,
    19,
    Buffer.from([0x21, 0xfe, SECRET.length, ...Buffer.from(SECRET), 0]),
    Buffer.from(`!\xff\x0bXMP DataXMP${String.fromCharCode(SECRET.length)}${SECRET}\0`, "latin1"),
    Buffer.from("!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", "latin1"),
  ),
  "image/webp": webp(
    webpChunk("VP8X", Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    webpChunk("ICCP", "profile"),
    plainWebp.subarray(12),
    webpChunk("EXIF", exif(6)),
    webpChunk("XMP ", SECRET),
    webpChunk("PRIV", SECRET),
  ),
};

describe("rewritePicture", () => {
  it.each(types)("leaves a %s without metadata as it is", (type) => {
    expect(rewritePicture(tinyPictures[type], type).bytes.equals(tinyPictures[type])).toBe(true);
  });

  it.each(types)("removes the location from every place of a %s", (type) => {
    expect(planted[type].includes(SECRET)).toBe(true);
    expect(rewritePicture(planted[type], type).bytes.includes(SECRET)).toBe(false);
  });

  it.each(types)("writes a %s that is read as the same picture again", (type) => {
    const once = rewritePicture(planted[type], type);
    expect(rewritePicture(once.bytes, type)).toEqual(once);
  });

  it("keeps the orientation, and nothing else of Exif", () => {
    const { bytes } = rewritePicture(planted["image/jpeg"], "image/jpeg");
    const start = bytes.indexOf("Exif\0\0");
    expect(readOrientation(bytes.subarray(start + 6))).toBe(6);
    expect(rewritePicture(planted["image/png"], "image/png").bytes.includes("eXIf")).toBe(true);
    expect(rewritePicture(planted["image/webp"], "image/webp").bytes.includes("EXIF")).toBe(true);
  });

  it("keeps color profiles and the repetitions of an animation", () => {
    expect(rewritePicture(planted["image/jpeg"], "image/jpeg").bytes.includes("ICC_PROFILE")).toBe(true);
    expect(rewritePicture(planted["image/webp"], "image/webp").bytes.includes("ICCP")).toBe(true);
    expect(rewritePicture(planted["image/gif"], "image/gif").bytes.includes("NETSCAPE2.0")).toBe(true);
  });

  it("states the size of the upright picture", () => {
    const turned = pngOf(20, 10, pngChunk("eXIf", exif(6)));
    expect(rewritePicture(turned, "image/png")).toMatchObject({ width: 10, height: 20 });
  });

  it.each(types)("cuts off what follows the end of a %s", (type) => {
    const appended = Buffer.concat([tinyPictures[type], Buffer.from("PK\x03\x04 an archive")]);
    expect(rewritePicture(appended, type).bytes.equals(tinyPictures[type])).toBe(true);
  });

  it.each<[string, Buffer, PictureType]>([
    ["JPEG without the marker of its end", jpeg.subarray(0, -2), "image/jpeg"],
    ["JPEG with half of the marker of its end", jpeg.subarray(0, -1), "image/jpeg"],
    ["GIF without its trailer", gif.subarray(0, -1), "image/gif"],
  ])("completes a %s", (_, bytes, type) => {
    expect(rewritePicture(bytes, type).bytes.equals(tinyPictures[type])).toBe(true);
  });

  it.each(types)("refuses a %s that ends before its pixels", (type) => {
    const whole = planted[type];
    const scan = whole.indexOf(Buffer.from([0xff, 0xda]));
    const end = { "image/jpeg": scan + 4, "image/gif": whole.length - 1 }[type as string] ?? whole.length;
    for (let length = 12; length < end; length++) {
      expect(() => rewritePicture(whole.subarray(0, length), type), String(length)).toThrow("incomplete or damaged");
    }
  });

  it("refuses more than 50 megapixels, all frames together", () => {
    expect(() => rewritePicture(pngOf(10_000, 10_000), "image/png")).toThrow("10000 × 10000");
    const frames = Buffer.alloc(8);
    frames.writeUInt32BE(51);
    const animation = pngOf(1_000, 1_000, pngChunk("acTL", frames));
    expect(() => rewritePicture(animation, "image/png")).toThrow("51 frames");
    expect(() => rewritePicture(pngOf(10_000, 5_000), "image/png")).not.toThrow();
  });

  it("refuses a picture that consists of very many parts", () => {
    const chunks = Array.from({ length: 20_000 }, () => pngChunk("prVt", ""));
    expect(() => rewritePicture(pngOf(1, 1, ...chunks), "image/png")).toThrow("too many parts");
  });

  it("refuses a frame that is larger than the picture that it is part of", () => {
    const bytes = Buffer.from(gif);
    bytes.writeUInt16LE(30_000, bytes.indexOf(0x2c) + 5);
    expect(() => rewritePicture(bytes, "image/gif")).toThrow("A frame of the picture is larger");
  });
});

describe("detectPicture", () => {
  it.each(types)("recognizes %s by its first bytes", (type) => {
    expect(detectPicture(tinyPictures[type])).toBe(type);
  });

  it("recognizes nothing else", () => {
    expect(detectPicture(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toBeNull();
    expect(detectPicture(Buffer.alloc(0))).toBeNull();
  });
});

describe("a progressive JPEG", () => {
  /** A picture of this size whose scans are empty. */
  const withScans = (scans: number, { width = 8, height = 8 } = {}) => {
    const size = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
    const scan = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), Buffer.from([0x3f])]);
    const start = Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xc2, size)]);
    return Buffer.concat([start, ...Array<Buffer>(scans).fill(scan), Buffer.from([0xff, 0xd9])]);
  };

  it.each([
    [10, { width: 7_000, height: 7_000 }],
    [50, { width: 3_000, height: 3_000 }],
  ])("is accepted with %i scans of %j", (scans, size) => {
    expect(rewritePicture(withScans(scans, size), "image/jpeg")).toMatchObject(size);
  });

  it.each([
    [51, { width: 8, height: 8 }],
    [11, { width: 7_000, height: 7_000 }],
    [200, { width: 7_000, height: 7_000 }],
  ])("is refused with %i scans of %j, because decoding it takes too long", (scans, size) => {
    expect(() => rewritePicture(withScans(scans, size), "image/jpeg")).toThrow("takes too long to decode");
  });
});

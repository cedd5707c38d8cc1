import { crc32 } from "node:zlib";

/** Real pictures of one pixel, by media type. */
export const tinyPictures = {
  "image/jpeg": Buffer.from(
    "/9j/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=",
    "base64",
  ),
  "image/png": Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
  "image/gif": Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
  "image/webp": Buffer.from("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=", "base64"),
};

/**
 * A PNG whose compressed pixels have this size in bytes, and that says it has this many pixels. It is read like a large
 * picture, but cannot be decoded.
 */
export function createLargePng(bytes: number, { width = 1, height = 1 } = {}): Buffer {
  const png = tinyPictures["image/png"];
  const header = Buffer.from(png.subarray(12, 29));
  header.writeUInt32BE(width, 4);
  header.writeUInt32BE(height, 8);
  const data = Buffer.concat([Buffer.from("IDAT"), Buffer.alloc(bytes, 7)]);
  return Buffer.concat([png.subarray(0, 8), toChunk(header), toChunk(data), png.subarray(-12)]);
}

/** The length, the type with the data, and the checksum. */
function toChunk(data: Buffer): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(data.length - 4);
  numbers.writeUInt32BE(crc32(data), 4);
  return Buffer.concat([numbers.subarray(0, 4), data, numbers.subarray(4)]);
}

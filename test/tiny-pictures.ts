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

/** A PNG whose compressed pixels have this size. It is read like a large picture, but cannot be decoded. */
export function createLargePng(bytes: number): Buffer {
  const png = tinyPictures["image/png"];
  const data = Buffer.concat([Buffer.from("IDAT"), Buffer.alloc(bytes, 7)]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(bytes);
  numbers.writeUInt32BE(crc32(data), 4);
  return Buffer.concat([png.subarray(0, 33), numbers.subarray(0, 4), data, numbers.subarray(4), png.subarray(-12)]);
}

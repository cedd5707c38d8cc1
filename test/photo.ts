import type { Page } from "playwright-core";

/** Exif that says how a camera was held (6: turned by 90°), and where and with which device the photo was taken. */
function exifSegment(): Buffer {
  const entries: Array<[tag: number, type: number, value: Buffer]> = [
    [0x010f, 2, Buffer.from("Harbour Cam\0")],
    [0x0112, 3, Buffer.from([6, 0])],
    [0x0131, 2, Buffer.from("planted-location 53.54,9.98\0")],
  ];
  const header = Buffer.from("Exif\0\0II*\0\x08\0\0\0", "latin1");
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length, 0);
  let valueAt = 8 + directory.length;
  const values: Buffer[] = [];
  for (const [index, [tag, type, value]] of entries.entries()) {
    const at = 2 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(type === 3 ? 1 : value.length, at + 4);
    if (value.length <= 4) value.copy(directory, at + 8);
    else {
      directory.writeUInt32LE(valueAt, at + 8);
      values.push(value);
      valueAt += value.length;
    }
  }
  const body = Buffer.concat([header, directory, ...values]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length + 2);
  return Buffer.concat([Buffer.from([0xff, 0xe1]), length, body]);
}

/** A photo as a phone stores it: wide pixels that are to be shown upright, with the place in its metadata. */
export async function takePhoto(page: Page, { width = 2400, height = 1800 } = {}): Promise<Buffer> {
  const base64 = await page.evaluate(
    ([width = 0, height = 0]) => {
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = height;
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      const sky = context.createLinearGradient(0, 0, width, height);
      sky.addColorStop(0, "#f59e0b");
      sky.addColorStop(1, "#1c1917");
      context.fillStyle = sky;
      context.fillRect(0, 0, width, height);
      context.fillStyle = "#fafaf9";
      context.fillRect(width * 0.1, height * 0.4, width * 0.3, height * 0.2);
      return canvas.toDataURL("image/jpeg", 0.9).split(",")[1] ?? "";
    },
    [width, height],
  );
  const jpeg = Buffer.from(base64, "base64");
  return Buffer.concat([jpeg.subarray(0, 2), exifSegment(), jpeg.subarray(2)]);
}

import type { Page } from "playwright-core";
import { plantExif } from "./planted-exif.ts";

/** Exif that says that the camera was turned by 90°, where the photo was taken, and with which device. */
function exifSegment(): Buffer {
  const { tiff } = plantExif({ orientation: 6, isLittle: true, text: "planted-location 53.54,9.98" });
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
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

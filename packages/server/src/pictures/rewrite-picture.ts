import { type Picture, PictureError, type PictureType, type RewrittenPicture } from "./picture.ts";
import { rewriteGif } from "./rewrite-gif.ts";
import { rewriteJpeg } from "./rewrite-jpeg.ts";
import { rewritePng } from "./rewrite-png.ts";
import { rewriteWebp } from "./rewrite-webp.ts";

/** The maximum number of pixels: width × height × frames. Decoding needs four bytes for each. */
const MAX_PIXELS = 50_000_000;
/**
 * The maximum number of scans, and of scans × pixels. Cameras and programs write about ten scans. A picture of 3 KB with
 * 200 empty scans of 50 megapixels took Chromium 34 s.
 */
const MAX_SCANS = 50;
const MAX_SCANNED_PIXELS = 500_000_000;

const rewriters: Record<PictureType, (bytes: Buffer) => RewrittenPicture> = {
  "image/jpeg": rewriteJpeg,
  "image/png": rewritePng,
  "image/gif": rewriteGif,
  "image/webp": rewriteWebp,
};

/** The format by the first bytes; null when it is not one of the pictures. */
export function detectPicture(bytes: Buffer): PictureType | null {
  const start = bytes.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  if (/^RIFF.{4}WEBP/s.test(start)) return "image/webp";
  return null;
}

/**
 * Copies a picture without its metadata: Exif, XMP, IPTC, comments and texts, thumbnails, and whatever follows its end.
 * Pixels are neither decoded nor changed, so a picture that unpacks to gigabytes is never unpacked. Color profiles and
 * the orientation stay.
 * @throws PictureError when the picture is incomplete or too large
 */
export function rewritePicture(bytes: Buffer, type: PictureType): Picture {
  const { parts, width, height, frames, scans = 1, orientation } = rewriters[type](bytes);
  if (width === 0 || height === 0) throw new PictureError("The picture has no pixels.");
  if (width * height * frames > MAX_PIXELS) {
    const found = `${width} × ${height}${frames > 1 ? ` × ${frames} frames` : ""}`;
    throw new PictureError(`The picture has more than 50 megapixels (${found}). Send a smaller one.`);
  }
  if (scans > MAX_SCANS || width * height * scans > MAX_SCANNED_PIXELS) {
    throw new PictureError(`The picture takes too long to decode (${width} × ${height} in ${scans} passes).`);
  }
  // Half of the orientations exchange width and height.
  const size = orientation >= 5 ? { width: height, height: width } : { width, height };
  return { type, ...size, bytes: Buffer.concat(parts) };
}

/** The longest side of a picture that is uploaded, in pixels. Models see no more of it. */
const MAX_SIDE_PX = 1_568;
/** A larger PNG is uploaded as JPEG, because models accept no pictures of more than 3.75 MB. */
const MAX_PNG_BYTES = 3_500_000;
const JPEG_QUALITY = 0.85;

export const isHeic = ({ type, name }: File): boolean => /^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name);

/** Some systems and pickers do not know the type of a picture, and name none or a general one. */
export const isPicture = (file: File): boolean =>
  file.type.startsWith("image/") ||
  isHeic(file) ||
  (/^(?:|application\/octet-stream)$/.test(file.type) && /\.(?:jpe?g|jfif|png|gif|webp)$/i.test(file.name));

/**
 * Turns a picture upright, reduces it and encodes it again, so that the place and the device that a camera has written
 * into it never leave the browser. Of an animated picture, the first frame is kept.
 * @throws if the browser cannot decode the picture
 */
export async function preparePicture(file: File): Promise<File> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser offers no canvas.");
  // Browsers that protect visitors from fingerprinting put noise into what a page reads. The server removes metadata, too.
  if (!readsCanvases()) return file;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  // Photos come as JPEG or HEIC. Everything else may be a screenshot, whose text JPEG would blur, or transparent.
  const png =
    file.type === "image/jpeg" || /\.(?:jpe?g|jfif)$/i.test(file.name) || isHeic(file)
      ? null
      : await encode(canvas, "image/png");
  if (png && png.size <= MAX_PNG_BYTES) return rename(file, png, "png");
  // JPEG has no transparency and would show it as black.
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  return rename(file, await encode(canvas, "image/jpeg"), "jpg");
}

/** Whether the page can read what it has drawn. */
function readsCanvases(): boolean {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 16;
  const context = canvas.getContext("2d");
  if (!context) return false;
  const colors = ["#c81e1e", "#1ec81e", "#1e1ec8", "#808080"];
  for (let at = 0; at < 256; at++) {
    context.fillStyle = colors[at % colors.length] ?? "";
    context.fillRect(at % 16, Math.floor(at / 16), 1, 1);
  }
  const { data } = context.getImageData(0, 0, 16, 16);
  const expected = [200, 30, 30, 255, 30, 200, 30, 255, 30, 30, 200, 255, 128, 128, 128, 255];
  return data.every((value, at) => value === expected[at % expected.length]);
}

function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be encoded."))),
      type,
      JPEG_QUALITY,
    ),
  );
}

/** The encoded picture under the file's name, with the extension of its new type. */
function rename({ name }: File, picture: Blob, extension: string): File {
  return new File([picture], `${name.replace(/\.\w{1,5}$/, "")}.${extension}`, { type: picture.type });
}

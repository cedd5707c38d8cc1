import { MAX_AGENT_IMAGE_BYTES } from "@foyer/contract/rules/agent-image";

/**
 * The largest width and height of an uploaded image, in pixels: several times the size at which the widget shows it.
 */
export type MaxSize = { width: number; height: number };

/** The side length in pixels of an SVG without its own size. */
const FALLBACK_SIDE = 256;

/**
 * Redraws an image file so that it fits the widget. This accepts files of any size and every format the browser can
 * show, SVG included, and drops metadata such as the place where a photo was taken.
 * @returns a PNG as data URL, or null when the browser cannot read the file
 */
export async function shrinkImage(file: File, max: MaxSize): Promise<string | null> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return draw(image, max);
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(address);
  }
}

function draw(image: HTMLImageElement, max: MaxSize): string {
  const width = image.naturalWidth || FALLBACK_SIDE;
  const height = image.naturalHeight || FALLBACK_SIDE;
  const canvas = document.createElement("canvas");
  for (let scale = Math.min(1, max.width / width, max.height / height); ; scale *= 0.75) {
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const url = canvas.toDataURL("image/png");
    // Base64 needs four characters for three bytes. Few PNGs of this size are too large, and those are scaled down
    // further.
    if (url.length * 0.75 <= MAX_AGENT_IMAGE_BYTES) return url;
  }
}

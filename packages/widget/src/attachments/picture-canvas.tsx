/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

type PictureProps = {
  load: () => Promise<Blob>;
  /** Identifies the picture. A change loads again. */
  id: string;
  /** The size in pixels within which the picture is drawn. */
  maxWidth: number;
  maxHeight: number;
  onFailed?: () => void;
};

/**
 * A picture on a canvas, because a page's Content Security Policy may refuse `blob:` images. The button or list item
 * around it has its name.
 */
export function PictureCanvas({ load, id, maxWidth, maxHeight, onFailed }: PictureProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => {
    let isGone = false;
    const draw = async () => {
      const bitmap = await createImageBitmap(await load());
      if (!isGone && canvas.current) drawWithin(canvas.current, bitmap, { maxWidth, maxHeight });
      if (!isGone) setIsDrawn(true);
      bitmap.close();
    };
    draw().catch(() => isGone || onFailed?.());
    return () => {
      isGone = true;
    };
  }, [id]);
  return <canvas ref={canvas} class={isDrawn ? "drawn" : undefined} />;
}

function drawWithin(
  canvas: HTMLCanvasElement,
  bitmap: ImageBitmap,
  { maxWidth, maxHeight }: Pick<PictureProps, "maxWidth" | "maxHeight">,
): void {
  const scale = Math.min(1, maxWidth / bitmap.width, maxHeight / bitmap.height);
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
}

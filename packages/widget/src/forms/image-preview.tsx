/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";

/** The size of the image in pixels: twice its size in CSS pixels, for high-density screens. */
const SIZE_PX = 96;

/**
 * A square thumbnail. The image is decoded off the main thread and drawn on a canvas, because a page's Content
 * Security Policy may refuse `blob:` images. A file that the browser cannot decode gets a file icon.
 */
export function ImagePreview({ file }: { file: File }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => {
    let isGone = false;
    setIsDrawn(false);
    createImageBitmap(file).then(
      (bitmap) => {
        if (!isGone && canvas.current) draw(canvas.current, bitmap);
        if (!isGone) setIsDrawn(true);
        bitmap.close();
      },
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [file]);
  return (
    <span class="thumb" aria-hidden="true">
      {isDrawn ? null : <Icon name="file" />}
      <canvas ref={canvas} width={SIZE_PX} height={SIZE_PX} hidden={!isDrawn} />
    </span>
  );
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap) {
  const side = Math.min(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.imageSmoothingQuality = "high";
  const [x, y] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
  context.clearRect(0, 0, SIZE_PX, SIZE_PX);
  context.drawImage(bitmap, x, y, side, side, 0, 0, SIZE_PX, SIZE_PX);
}

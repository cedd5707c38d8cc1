/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";

/** In pixels of the picture: twice what is seen, for fine screens. */
const SIDE = 96;

/**
 * A small picture of an image, cut to a square. It is decoded beside the page's own work and drawn, not linked: a page's
 * policy may refuse images from anywhere but its own server. What the browser cannot decode has the mark of a file.
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
      <canvas ref={canvas} width={SIDE} height={SIDE} hidden={!isDrawn} />
    </span>
  );
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap) {
  const side = Math.min(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.imageSmoothingQuality = "high";
  const [x, y] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
  context.clearRect(0, 0, SIDE, SIDE);
  context.drawImage(bitmap, x, y, side, side, 0, 0, SIDE, SIDE);
}

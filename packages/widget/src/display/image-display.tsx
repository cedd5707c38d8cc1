/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import { imageIn, type ShownTool, textIn } from "./slots.ts";

/** A picture with its caption; it opens in its full size where it has an address of its own. */
export function ImageDisplay({ tool }: { tool: ShownTool }): JSX.Element | null {
  const { words } = usePanel();
  const { slots } = tool;
  const src = imageIn(slots);
  if (!src) return null;
  const [title, description] = [textIn(slots, "title"), textIn(slots, "description")];
  const image = (
    <img src={src} alt={title || description} loading="lazy" decoding="async" referrerpolicy="no-referrer" />
  );
  const label = [words.openImage, title || description].filter(Boolean).join(": ");
  return (
    <figure class="card picture">
      {src.startsWith("https:") ? (
        <a href={src} target="_blank" rel="noopener noreferrer nofollow" aria-label={label}>
          {image}
        </a>
      ) : (
        image
      )}
      {title || description ? (
        <figcaption dir="auto">
          {title ? <strong>{title}</strong> : null}
          {description ? <span>{description}</span> : null}
        </figcaption>
      ) : null}
    </figure>
  );
}

/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import { type ShownTool, slotImage, slotText } from "../panel/slots.ts";

/** An image with its caption. It opens at full size unless it is embedded as a data URL. A refused image leaves its caption. */
export function ImageDisplay({ tool }: { tool: ShownTool }): JSX.Element | null {
  const { messages } = usePanel();
  const { slots } = tool;
  const src = slotImage(slots);
  const [title, description] = [slotText(slots, "title"), slotText(slots, "description")];
  if (!(src || title || description)) return null;
  const image = src && (
    <img src={src} alt={title || description} loading="lazy" decoding="async" referrerpolicy="no-referrer" />
  );
  const label = [messages.openImage, title || description].filter(Boolean).join(": ");
  return (
    <figure class="card picture">
      {src?.startsWith("https:") ? (
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

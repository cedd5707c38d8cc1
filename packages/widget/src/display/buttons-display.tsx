/** @jsxImportSource preact */
import type { JSX } from "preact";
import { linkTargetFor } from "../markdown/link-target.ts";
import { usePanel } from "../panel/panel-context.ts";
import { readableName, type ShownTool, slotLink, slotList, slotText } from "../panel/slots.ts";

/** Suggested answers. Each one opens a link or sends its value as the visitor's message. */
export function ButtonsDisplay({ tool }: { tool: ShownTool }): JSX.Element | null {
  const { chat } = usePanel();
  const buttons = slotList(tool.slots, "buttons").map((slots) => ({
    href: slotLink(slots),
    label: slotText(slots, "label") || slotText(slots, "value"),
    value: slotText(slots, "value") || slotText(slots, "label"),
  }));
  const title = slotText(tool.slots, "title");
  if (buttons.length === 0) return null;
  return (
    <div class="choices">
      {title ? <p dir="auto">{title}</p> : null}
      <ul class="suggestions" aria-label={title || readableName(tool.name)}>
        {buttons.map(({ href, label, value }, index) => (
          <li key={index}>
            {href ? (
              <a class="quiet" href={href} dir="auto" {...linkTargetFor(href)}>
                {label || href}
              </a>
            ) : (
              <button type="button" class="quiet" dir="auto" onClick={() => void chat.send(value)}>
                {label}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

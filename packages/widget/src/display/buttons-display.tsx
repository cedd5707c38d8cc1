/** @jsxImportSource preact */
import type { JSX } from "preact";
import { targetOf } from "../markdown/link-target.ts";
import { usePanel } from "../panel/panel-context.ts";
import { linkIn, listIn, type ShownTool, textIn } from "./slots.ts";

/** Answers to choose from: each leads somewhere, or says its value in the visitor's name. */
export function ButtonsDisplay({ tool }: { tool: ShownTool }): JSX.Element | null {
  const { chat } = usePanel();
  const buttons = listIn(tool.slots, "buttons").map((slots) => ({
    href: linkIn(slots),
    label: textIn(slots, "label") || textIn(slots, "value"),
    value: textIn(slots, "value") || textIn(slots, "label"),
  }));
  const title = textIn(tool.slots, "title");
  if (buttons.length === 0) return null;
  return (
    <div class="choices">
      {title ? <p dir="auto">{title}</p> : null}
      <ul class="suggestions" aria-label={title || tool.name.replaceAll("_", " ")}>
        {buttons.map(({ href, label, value }, index) => (
          <li key={index}>
            {href ? (
              <a class="quiet" href={href} dir="auto" {...targetOf(href)}>
                {label || href}
              </a>
            ) : (
              <button type="button" class="quiet" dir="auto" onClick={() => void chat.say(value)}>
                {label}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

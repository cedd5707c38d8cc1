/** @jsxImportSource preact */
import type { JSX } from "preact";
import { interpolate } from "../locales/load-messages.ts";
import { usePanel } from "../panel/panel-context.ts";
import { type ShownTool, slotText } from "./slots.ts";

/**
 * An unobtrusive line saying that a tool was used. Its text, if any, can be expanded, or is open from the
 * start.
 */
export function TextDisplay({ tool }: { tool: ShownTool }): JSX.Element {
  const { messages } = usePanel();
  const line = tool.label ?? interpolate(messages.usedTool, { tool: tool.name.replaceAll("_", " ") });
  const text = slotText(tool.slots, "text");
  if (text === "") return <p class="tool">{line}</p>;
  return (
    <details class="tool" open={tool.options.isOpen}>
      <summary>{line}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, which must be possible with the keyboard */}
      <p class="tool-text" dir="auto" tabIndex={0}>
        {text}
      </p>
    </details>
  );
}

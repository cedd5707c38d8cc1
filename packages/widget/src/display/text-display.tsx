/** @jsxImportSource preact */
import type { JSX } from "preact";
import { readableName, type ShownTool, slotText } from "./slots.ts";

/**
 * An unobtrusive line saying that a tool was used. Its text, if any, can be expanded, or is open from the
 * start.
 */
export function TextDisplay({ tool }: { tool: ShownTool }): JSX.Element {
  const line = tool.label ?? readableName(tool.name);
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

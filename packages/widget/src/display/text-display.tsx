/** @jsxImportSource preact */
import type { JSX } from "preact";
import { interpolate } from "../locales/load-messages.ts";
import { usePanel } from "../panel/panel-context.ts";
import { type ShownTool, textIn } from "./slots.ts";

/** A quiet line that a tool was used. Its text, if any, can be expanded. */
export function TextDisplay({ tool }: { tool: ShownTool }): JSX.Element {
  const { words } = usePanel();
  const line = tool.label ?? interpolate(words.usedTool, { tool: tool.name.replaceAll("_", " ") });
  const text = textIn(tool.slots, "text");
  if (text === "") return <p class="tool">{line}</p>;
  return (
    <details class="tool">
      <summary>{line}</summary>
      <p class="tool-text" dir="auto">
        {text}
      </p>
    </details>
  );
}

/** @jsxImportSource preact */
import type { JSX } from "preact";
import { readableName, type ShownTool, slotText } from "../panel/slots.ts";
import { Rows } from "./rows.tsx";

/** The values of a result in JSON by their names, or null for a text. Nested values are listed on their own. */
function parseRows(text: string): [string, string][] | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? listValues(value) : null;
  } catch {
    return null;
  }
}

function listValues(value: object): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] =>
    typeof inner === "object" && inner !== null ? listValues(inner) : [[readableName(name), String(inner ?? "–")]],
  );
}

/**
 * An unobtrusive line saying that a tool was used. Its text, if any, can be expanded, or is open from the
 * start.
 */
export function TextDisplay({ tool }: { tool: ShownTool }): JSX.Element {
  const line = tool.label ?? readableName(tool.name);
  const text = slotText(tool.slots, "text");
  const rows = parseRows(text);
  if (text === "") return <p class="tool">{line}</p>;
  return (
    <details class="tool" open={tool.options.isOpen}>
      <summary>{line}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, which must be possible with the keyboard */}
      <div class="tool-text" dir="auto" tabIndex={0}>
        {rows ? <Rows rows={rows} /> : text}
      </div>
    </details>
  );
}

/** @jsxImportSource preact */
import type { JSX } from "preact";
import { readableName, type ShownTool } from "../panel/slots.ts";

/** A result as a table. A cell holds text or a number, and is empty when the result has no value for it. */
export function TableDisplay({ tool }: { tool: ShownTool }): JSX.Element | null {
  const { slots, options, name } = tool;
  const columns = Array.isArray(slots.columns) ? slots.columns.map(String) : [];
  const rows = Array.isArray(slots.rows) ? slots.rows.filter(Array.isArray) : [];
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section class="scroller" tabIndex={0} aria-label={readableName(name)}>
      <table>
        {options.showHeader === false ? null : (
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" dir="auto">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell: unknown, column: number) => (
                <td key={columns[column] ?? column} class={typeof cell === "number" ? "align-end" : ""} dir="auto">
                  {cell === null ? "" : String(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

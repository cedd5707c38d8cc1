/** @jsxImportSource preact */
import type { JSX } from "preact";

/** Names and values, one pair a line. */
export function Rows({ rows }: { rows: readonly (readonly [name: string, value: string])[] }): JSX.Element {
  return (
    <dl class="pairs">
      {rows.map(([name, value], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

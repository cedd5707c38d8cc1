import { steps } from "./steps.ts";
import type { Row } from "./visit-page.ts";

/** A table of pages and steps: `ok`, or the number of differences, or `-` for a step that was not reached. */
export function formatMatrix(rows: Row[]): string {
  const names = steps.map(({ name }) => name);
  const table = [
    ["page", "device", ...names],
    ...rows.map(({ page, device, cells }) => [page, device, ...names.map((name) => formatCell(cells[name]))]),
  ];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function formatCell(differences: string[] | undefined): string {
  if (!differences) return "-";
  return differences.length === 0 ? "ok" : String(differences.length);
}

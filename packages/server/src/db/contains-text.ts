import { type RawBuilder, sql } from "kysely";
import type { DatabaseKind } from "./database-kind.ts";

/**
 * Creates a case-insensitive, literal search for a text in a column. It takes linear time on both databases, while LIKE
 * backtracks. On SQLite, it works only in a query that runs through `BackgroundReads`.
 */
export function containsText(kind: DatabaseKind, column: string, text: string): RawBuilder<boolean> {
  const needle = text.toLowerCase();
  return kind === "sqlite"
    ? sql<boolean>`contains_text(${sql.ref(column)}, ${needle})`
    : sql<boolean>`coalesce(strpos(lower(${sql.ref(column)}), ${needle}) > 0, false)`;
}

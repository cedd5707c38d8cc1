import { type RawBuilder, sql } from "kysely";
import type { DatabaseKind } from "../db/database-kind.ts";
import { jsonRows, toJson } from "../db/json-rows.ts";

/** The maximum number of remembered ids. */
const MAX_REMEMBERED = 10_000;

/**
 * Remembers what a timer loop cannot handle at the moment, such as a team without a free member. A query that reads "the
 * oldest N" must leave these rows out itself: if they are filtered from its result, N of them stop everything behind
 * them, also that of other organizations. A pass ends when a round was not full, so each pass tries everything once.
 * @param now a clock in milliseconds
 */
export function createLeftOut(databaseKind: DatabaseKind, now: () => number) {
  const untilById = new Map<string, number>();
  return {
    has: (id: string): boolean => (untilById.get(id) ?? 0) > now(),
    /** @param until in milliseconds; the end of the pass by default */
    add(id: string, until = Number.POSITIVE_INFINITY): void {
      if (untilById.size >= MAX_REMEMBERED) untilById.clear();
      untilById.set(id, until);
    },
    endPass(): void {
      for (const [id, until] of untilById) {
        if (until === Number.POSITIVE_INFINITY || until <= now()) untilById.delete(id);
      }
    },
    /** A condition of a query: the column has none of the ids. */
    excludes(column: string): RawBuilder<boolean> {
      const ids = [...untilById].flatMap(([id, until]) => (until > now() ? { id } : []));
      if (ids.length === 0) return sql<boolean>`1 = 1`;
      const rows = jsonRows<{ id: string }>(databaseKind, toJson(ids), { id: "text" });
      return sql<boolean>`${sql.ref(column)} not in (select rows.id from ${rows})`;
    },
  };
}

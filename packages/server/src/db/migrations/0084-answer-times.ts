import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const columns = [
  "answersWithin1Min",
  "answersWithin5Min",
  "answersWithin15Min",
  "answersWithin1Hour",
  "answersWithin4Hours",
  "answersLater",
];

/** How many requests members answered in which time. Answers from before this migration are in none of the columns. */
export async function answerTimes(db: Kysely<Tables>): Promise<void> {
  for (const column of columns) {
    await db.schema
      .alterTable("handoffDays")
      .addColumn(column, "integer", (c) => c.notNull().defaultTo(0))
      .execute();
  }
}

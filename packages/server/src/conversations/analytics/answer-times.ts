import type { HandoffAnalytics } from "@foyer/contract";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { AnswerTimeColumns } from "../../db/tables/handoff.ts";

/** The ranges of the time from a request to its first answer. The last one has no upper end. */
const ranges: ReadonlyArray<{ column: keyof AnswerTimeColumns; maxMs: number | null }> = [
  { column: "answersWithin1Min", maxMs: MINUTE_MS },
  { column: "answersWithin5Min", maxMs: 5 * MINUTE_MS },
  { column: "answersWithin15Min", maxMs: 15 * MINUTE_MS },
  { column: "answersWithin1Hour", maxMs: 60 * MINUTE_MS },
  { column: "answersWithin4Hours", maxMs: 240 * MINUTE_MS },
  { column: "answersLater", maxMs: null },
];

/** The column that counts an answer after `ms` milliseconds. */
export function answerTimeColumn(ms: number): keyof AnswerTimeColumns {
  return ranges.find(({ maxMs }) => maxMs === null || ms <= maxMs)?.column ?? "answersLater";
}

export function summarizeAnswerTimes(rows: readonly AnswerTimeColumns[]): HandoffAnalytics["answerTimes"] {
  return ranges.map(({ column, maxMs }) => ({ maxMs, count: rows.reduce((sum, row) => sum + row[column], 0) }));
}

import { DAY_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import type { SubmissionDayRow } from "../../db/tables/forms.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { toUtcDay } from "../../utc-day.ts";

type StoredSubmission = { agentId: string; createdAt: number; bytes: number };

export type SubmissionQuota = ReturnType<typeof createSubmissionQuota>;

/**
 * Limits how many bytes visitors can store through an agent's forms per day (UTC), because anyone can submit them.
 * Concurrent submissions can exceed the limit by at most the size of the bodies in memory.
 */
export function createSubmissionQuota({ db, config }: Pick<Deps, "db" | "config">) {
  const limit = config.limits.submissionBytesPerDay;
  const selectUsed = compileOnce<{ agentId: string; day: string }, Pick<SubmissionDayRow, "bytes">>((param) =>
    db
      .selectFrom("submissionDays")
      .select("bytes")
      .where("agentId", "=", param("agentId"))
      .where("day", "=", param("day")),
  );
  const add = compileOnce<SubmissionDayRow, never>((param) =>
    db
      .insertInto("submissionDays")
      .values({ agentId: param("agentId"), day: param("day"), bytes: param("bytes") })
      .onConflict((conflict) =>
        conflict.columns(["agentId", "day"]).doUpdateSet({ bytes: sql`"submissionDays".bytes + excluded.bytes` }),
      ),
  );
  return {
    /** @throws 429 if storing `bytes` more would exceed the limit; `retryAfter` ends with the day */
    async check(agentId: string, bytes: number): Promise<void> {
      if (limit === 0) return;
      const now = Date.now();
      const usedBytes = (await selectUsed(db, { agentId, day: toUtcDay(now) })).rows[0]?.bytes ?? 0;
      if (usedBytes + bytes <= limit) return;
      const retryAfter = (Date.parse(`${toUtcDay(now + DAY_MS)}T00:00:00Z`) - now) / 1_000;
      const message =
        "This form cannot accept more data today because its agent has reached the daily limit. Try again tomorrow.";
      throw new AppError("RATE_LIMITED", message, { retryAfter });
    },
    /** Adds stored bytes to the day's usage. Call it in the transaction that stores them. */
    async add(trx: Executor, stored: readonly StoredSubmission[]): Promise<void> {
      if (limit === 0) return;
      const days = Map.groupBy(stored, ({ agentId, createdAt }) => `${agentId} ${toUtcDay(createdAt)}`);
      // Update in a consistent order, so that two processes cannot deadlock.
      for (const [key, rows] of [...days].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const [agentId = "", day = ""] = key.split(" ");
        await add(trx, { agentId, day, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) });
      }
    },
  };
}

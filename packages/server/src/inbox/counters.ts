import { sql, type Transaction } from "kysely";
import { answerTimeColumn } from "../conversations/analytics/answer-times.ts";
import { type HandoffChange, onHandoff } from "../conversations/log/change.ts";
import type { HandoffDayRow, HandoffRow } from "../db/tables/handoff.ts";
import type { Tables } from "../db/tables.ts";
import { afterCommit, beforeCommit } from "../db/transaction.ts";
import { toUtcDay } from "../utc-day.ts";

/** A request that was created, taken or answered. */
type CountedEvent = { event: "requested" | "taken" | "answered"; at: number };
type Counts = Omit<HandoffDayRow, "agentId" | "day" | "cause">;

/** Called for each counted event. `ms` is the time since the request, in milliseconds. */
type Observer = (counted: Pick<HandoffRow, "cause"> & Pick<CountedEvent, "event"> & { ms: number }) => void;

export type HandoffCounters = ReturnType<typeof createHandoffCounters>;

const zeroCounts: Counts = {
  requested: 0,
  conversations: 0,
  taken: 0,
  waitedMs: 0,
  answered: 0,
  answerMs: 0,
  inTime: 0,
  answersWithin1Min: 0,
  answersWithin5Min: 0,
  answersWithin15Min: 0,
  answersWithin1Hour: 0,
  answersWithin4Hours: 0,
  answersLater: 0,
};

/** Counts requests by agent, day (UTC) and cause, so that analytics never have to scan the conversations. */
export function createHandoffCounters() {
  const observers: Observer[] = [];

  /**
   * Counts an event for the day of its request, at the end of the transaction, because all requests of an agent on that
   * day share a row.
   */
  async function count(trx: Transaction<Tables>, handoff: HandoffRow, { event, at }: CountedEvent): Promise<void> {
    const { agentId, cause, requestedAt } = handoff;
    // The clock of another process may be behind, so the difference could be negative.
    const ms = Math.max(0, at - requestedAt);
    const counts = event === "requested" ? await countRequest(trx, handoff) : countResponse(handoff, { event, at, ms });
    const row = { agentId, day: toUtcDay(requestedAt), cause };
    beforeCommit(trx, `${row.agentId} ${row.day} ${cause}`, () => addCounts(trx, { ...row, ...zeroCounts, ...counts }));
    afterCommit(trx, () => {
      for (const observe of observers) observe({ cause, event, ms });
    });
  }

  return {
    /** Registers a function that is called for every event that this process counts, after the commit. */
    onCounted(observe: Observer): void {
      observers.push(observe);
    },
    listener: onHandoff(async (trx, change) => {
      const event = toCounted(change);
      if (event && "handoff" in change) await count(trx, change.handoff, event);
    }),
  };
}

/** A member's test conversations are not counted. */
function toCounted(change: HandoffChange): CountedEvent | null {
  if (change.isTest) return null;
  switch (change.kind) {
    case "requested":
      return change.isRepeated ? null : { event: "requested", at: change.handoff.requestedAt };
    case "taken":
      // A takeover without a request counts as a request that was taken immediately.
      if (change.first === "request") return { event: "requested", at: change.handoff.requestedAt };
      return change.first && { event: "taken", at: change.handoff.takenAt ?? change.handoff.requestedAt };
    case "answered":
      return { event: "answered", at: change.at };
    default:
      return null;
  }
}

async function addCounts(trx: Transaction<Tables>, row: HandoffDayRow): Promise<void> {
  const sums = Object.keys(zeroCounts).map((name) => [
    name,
    sql<number>`${sql.ref(`handoffDays.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  ]);
  await trx
    .insertInto("handoffDays")
    .values(row)
    .onConflict((conflict) => conflict.columns(["agentId", "day", "cause"]).doUpdateSet(Object.fromEntries(sums)))
    .execute();
}

async function countRequest(
  trx: Transaction<Tables>,
  { id, conversationId, takenAt }: HandoffRow,
): Promise<Partial<Counts>> {
  const earlier = await trx
    .selectFrom("handoffs")
    .select("id")
    .where("conversationId", "=", conversationId)
    .where("id", "<>", id)
    .limit(1)
    .executeTakeFirst();
  return { requested: 1, conversations: earlier ? 0 : 1, taken: takenAt === null ? 0 : 1 };
}

type ResponseEvent = { event: "taken" | "answered"; at: number; ms: number };

function countResponse({ promisedAt }: HandoffRow, { event, at, ms }: ResponseEvent): Partial<Counts> {
  if (event === "taken") return { taken: 1, waitedMs: ms };
  return {
    answered: 1,
    answerMs: ms,
    inTime: promisedAt === null || at <= promisedAt ? 1 : 0,
    [answerTimeColumn(ms)]: 1,
  };
}

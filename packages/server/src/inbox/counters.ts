import { sql, type Transaction } from "kysely";
import { answerTimeColumn } from "../conversations/analytics/answer-times.ts";
import { type ChangeListener, type HandoffChange, isHandoffChange } from "../conversations/log/change.ts";
import type { HandoffDayRow, HandoffRow } from "../db/tables/handoff.ts";
import type { Tables } from "../db/tables.ts";
import { afterCommit, beforeCommit } from "../db/transaction.ts";
import { toUtcDay } from "../utc-day.ts";

/** A request that was created, taken or answered. */
type CountedEvent = { event: "requested" | "taken" | "answered"; at: number };
type Counted = CountedEvent & { handoff: HandoffRow };
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

const countNames = Object.keys(zeroCounts) as Array<keyof Counts>;

/** Counts requests by agent, day (UTC) and cause, so that analytics never have to scan the conversations. */
export function createHandoffCounters() {
  const observers: Observer[] = [];

  /**
   * Counts events for the days of their requests, at the end of the transaction, because all requests of an agent on a
   * day share a row.
   */
  async function count(trx: Transaction<Tables>, counted: readonly Counted[]): Promise<void> {
    const requests = counted.filter(({ event }) => event === "requested").map(({ handoff }) => handoff);
    const repeated = requests.length === 0 ? new Set<string>() : await findRepeated(trx, requests);
    const rows = new Map<string, HandoffDayRow>();
    for (const { handoff, event, at } of counted) {
      const { agentId, cause, requestedAt } = handoff;
      // The clock of another process may be behind, so the difference could be negative.
      const ms = Math.max(0, at - requestedAt);
      const counts =
        event === "requested" ? countRequest(handoff, repeated) : countResponse(handoff, { event, at, ms });
      const day = toUtcDay(requestedAt);
      const key = `${agentId} ${day} ${cause}`;
      rows.set(key, addTo(rows.get(key) ?? { agentId, day, cause, ...zeroCounts }, counts));
      afterCommit(trx, () => {
        for (const observe of observers) observe({ cause, event, ms });
      });
    }
    for (const [key, row] of rows) beforeCommit(trx, key, () => addCounts(trx, row));
  }

  return {
    /** Registers a function that is called for every event that this process counts, after the commit. */
    onCounted(observe: Observer): void {
      observers.push(observe);
    },
    listener: (async (trx, changes) => {
      const counted = changes.flatMap((change) => {
        const event = isHandoffChange(change) ? toCounted(change) : null;
        return event && "handoff" in change ? [{ ...event, handoff: change.handoff }] : [];
      });
      if (counted.length > 0) await count(trx, counted);
    }) satisfies ChangeListener,
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
  const sums = countNames.map((name) => [
    name,
    sql<number>`${sql.ref(`handoffDays.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  ]);
  await trx
    .insertInto("handoffDays")
    .values(row)
    .onConflict((conflict) => conflict.columns(["agentId", "day", "cause"]).doUpdateSet(Object.fromEntries(sums)))
    .execute();
}

function addTo(row: HandoffDayRow, counts: Partial<Counts>): HandoffDayRow {
  const sums = { ...row };
  for (const name of countNames) sums[name] += counts[name] ?? 0;
  return sums;
}

/** The conversations of these requests in which a person was requested before. */
async function findRepeated(trx: Transaction<Tables>, requests: readonly HandoffRow[]): Promise<ReadonlySet<string>> {
  const earlier = await trx
    .selectFrom("handoffs")
    .select("conversationId")
    .distinct()
    .where(
      "conversationId",
      "in",
      requests.map(({ conversationId }) => conversationId),
    )
    .where(
      "id",
      "not in",
      requests.map(({ id }) => id),
    )
    .execute();
  return new Set(earlier.map(({ conversationId }) => conversationId));
}

function countRequest({ conversationId, takenAt }: HandoffRow, repeated: ReadonlySet<string>): Partial<Counts> {
  return { requested: 1, conversations: repeated.has(conversationId) ? 0 : 1, taken: takenAt === null ? 0 : 1 };
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

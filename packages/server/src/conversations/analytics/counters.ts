import type { ConversationCounts, Rating } from "@foyer/contract";
import { sql } from "kysely";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import { toUtcDay } from "../../utc-day.ts";
import { type Change, type ChangeListener, isCountedRating } from "../log/change.ts";
import type { EndedReply } from "../log/turn.ts";

/** An event of an agent at an instant. Omitted counts are 0; a withdrawn rating is -1. */
type ConversationEvent = { agentId: string; at: number } & Partial<ConversationCounts>;

type HourRow = { agentId: string; day: string; hour: number } & ConversationCounts;

const HOUR_MS = 3_600_000;

/** Counts events in conversations by agent and hour (UTC), so that analytics never read the conversations. */
export function createConversationCounters(db: Db): ChangeListener {
  const add = addQuery(db);

  /** Rows are written in a consistent order, so that two transactions cannot deadlock. */
  async function count(trx: Executor, events: readonly ConversationEvent[]): Promise<void> {
    const rows = new Map<string, HourRow>();
    for (const event of events) {
      const row = toHourRow(event);
      const key = `${row.agentId} ${row.day} ${row.hour}`;
      rows.set(key, addToHour(rows.get(key), row));
    }
    for (const [, row] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) await add(trx, row);
  }

  return (trx, changes) => count(trx, changes.flatMap(toCounted));
}

function toCounted(change: Change): ConversationEvent[] {
  if (change.kind === "turn") {
    const { turn, agentId, at, isTest } = change;
    return turn.isNew && !isTest ? [{ agentId, at, conversations: 1 }] : [];
  }
  if (change.kind === "reply_ended") return change.reply.isCounted ? [toCountedReply(change.reply)] : [];
  if (change.kind !== "rated" || !isCountedRating(change)) return [];
  // A rating counts for the hour in which the message was sent.
  const { agentId, sentAt, rating, previous } = change;
  const changeOf = (value: Rating) => Number(value === rating) - Number(value === previous);
  return [{ agentId, at: sentAt, ratedUp: changeOf("up"), ratedDown: changeOf("down") }];
}

function toCountedReply({ usage: { agentId }, end }: EndedReply): ConversationEvent {
  return {
    agentId,
    at: end.now,
    replies: 1,
    failedReplies: end.stopReason === "error" ? 1 : 0,
    inputTokens: end.inputTokens ?? 0,
    outputTokens: end.outputTokens ?? 0,
  };
}

function toHourRow({ agentId, at, ...counts }: ConversationEvent): HourRow {
  const {
    conversations = 0,
    replies = 0,
    failedReplies = 0,
    ratedUp = 0,
    ratedDown = 0,
    inputTokens = 0,
    outputTokens = 0,
  } = counts;
  const hour = Math.floor(at / HOUR_MS) % 24;
  return {
    agentId,
    day: toUtcDay(at),
    hour,
    conversations,
    replies,
    failedReplies,
    ratedUp,
    ratedDown,
    inputTokens,
    outputTokens,
  };
}

function addToHour(before: HourRow | undefined, row: HourRow): HourRow {
  return before ? { ...row, ...addCounts(before, row) } : row;
}

export function addCounts(a: ConversationCounts, b: ConversationCounts): ConversationCounts {
  return {
    conversations: a.conversations + b.conversations,
    replies: a.replies + b.replies,
    failedReplies: a.failedReplies + b.failedReplies,
    ratedUp: a.ratedUp + b.ratedUp,
    ratedDown: a.ratedDown + b.ratedDown,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

const counterNames = [
  "conversations",
  "replies",
  "failedReplies",
  "ratedUp",
  "ratedDown",
  "inputTokens",
  "outputTokens",
] as const satisfies ReadonlyArray<keyof ConversationCounts>;

/** Selects from the agents, so that nothing is counted for an agent that has been deleted. */
function addQuery(db: Db) {
  return compileOnce<HourRow, never>((param) =>
    db
      .insertInto("conversationHours")
      .columns(["agentId", "day", "hour", ...counterNames])
      .expression(
        db
          .selectFrom("agents")
          .select([
            "id",
            sql<string>`cast(${param("day")} as text)`.as("day"),
            sql<number>`cast(${param("hour")} as integer)`.as("hour"),
            ...counterNames.map((name) => sql<number>`cast(${param(name)} as bigint)`.as(name)),
          ])
          .where("id", "=", param("agentId")),
      )
      .onConflict((conflict) =>
        conflict
          .columns(["agentId", "day", "hour"])
          .doUpdateSet(
            Object.fromEntries(
              counterNames.map((name) => [
                name,
                sql<number>`${sql.ref(`conversationHours.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
              ]),
            ),
          ),
      ),
  );
}

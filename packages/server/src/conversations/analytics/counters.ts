import type { ConversationCounts, Rating } from "@foyer/contract";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import type { ModelDayRow } from "../../db/tables/models.ts";
import { toUtcDay } from "../../utc-day.ts";
import { type Change, type ChangeListener, isCountedRating } from "../log/change.ts";
import type { EndedReply } from "../log/turn.ts";

/** An event of an agent at an instant. Omitted counts are 0; a withdrawn rating is -1. */
type ConversationEvent = { agentId: string; at: number } & Partial<ConversationCounts>;

type HourRow = { agentId: string; day: string; hour: number } & ConversationCounts;

/** Counts events in conversations by agent and hour (UTC), so that analytics never read the conversations. */
export function createConversationCounters(db: Db): ChangeListener {
  const add = addQuery(db);
  const addModel = addModelQuery(db);

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

  async function countModels(trx: Executor, replies: readonly ModelDayRow[]): Promise<void> {
    const inOrder = replies.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
    for (const row of inOrder) await addModel(trx, row);
  }

  return async (trx, changes) => {
    await count(trx, changes.flatMap(toCounted));
    await countModels(trx, changes.flatMap(toModelDay));
  };
}

const toKey = ({ agentId, day, model }: ModelDayRow) => `${agentId} ${day} ${model}`;

/** The reply counts for the model that wrote its last step. */
function toModelDay(change: Change): ModelDayRow[] {
  if (change.kind !== "reply_ended" || !change.reply.isCounted || change.reply.end.model === null) return [];
  const { end, usage } = change.reply;
  return [
    {
      agentId: usage.agentId,
      day: toUtcDay(end.now),
      model: change.reply.end.model,
      ...toUsageCounts(end),
    },
  ];
}

function toUsageCounts({ inputTokens, cachedInputTokens, outputTokens, cost }: EndedReply["end"]) {
  return {
    replies: 1,
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: cachedInputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cost: cost ?? 0,
    unknownCostReplies: cost === null ? 1 : 0,
  };
}

function toCounted(change: Change): ConversationEvent[] {
  if (change.kind === "turn") return change.isTest ? [] : toCountedTurn(change);
  if (change.kind === "member_message") {
    const { agentId, at, isTest, attachments } = change;
    return attachments.length > 0 && !isTest ? [{ agentId, at, memberAttachments: attachments.length }] : [];
  }
  if (change.kind === "reply_ended") return change.reply.isCounted ? [toCountedReply(change.reply)] : [];
  if (change.kind !== "rated" || !isCountedRating(change)) return [];
  // A rating counts for the hour in which the message was sent.
  const { agentId, sentAt, rating, previous } = change;
  const changeOf = (value: Rating) => Number(value === rating) - Number(value === previous);
  return [{ agentId, at: sentAt, ratedUp: changeOf("up"), ratedDown: changeOf("down") }];
}

function toCountedTurn({ turn, agentId, at }: Extract<Change, { kind: "turn" }>): ConversationEvent[] {
  const visitorAttachments = turn.messages.reduce((sum, { attachments }) => sum + attachments.length, 0);
  if (!turn.isNew && visitorAttachments === 0) return [];
  return [{ agentId, at, conversations: turn.isNew ? 1 : 0, visitorAttachments }];
}

function toCountedReply({ usage: { agentId }, end }: EndedReply): ConversationEvent {
  return {
    agentId,
    at: end.now,
    ...toUsageCounts(end),
    failedReplies: end.stopReason === "error" ? 1 : 0,
    fallbackReplies: end.fallbackFrom === null ? 0 : 1,
  };
}

function toHourRow({ agentId, at, ...counts }: ConversationEvent): HourRow {
  const hour = Math.floor(at / HOUR_MS) % 24;
  return { agentId, day: toUtcDay(at), hour, ...noCounts, ...counts };
}

function addToHour(before: HourRow | undefined, row: HourRow): HourRow {
  return before ? { ...row, ...addCounts(before, row) } : row;
}

export function addCounts(a: ConversationCounts, b: ConversationCounts): ConversationCounts {
  const sum = { ...a };
  for (const name of counterNames) sum[name] += b[name];
  return sum;
}

export const noCounts: ConversationCounts = {
  conversations: 0,
  replies: 0,
  failedReplies: 0,
  ratedUp: 0,
  ratedDown: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  fallbackReplies: 0,
  visitorAttachments: 0,
  memberAttachments: 0,
  cost: 0,
  unknownCostReplies: 0,
};

const counterNames = Object.keys(noCounts) as ReadonlyArray<keyof ConversationCounts>;

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
            ...counterNames.map((name) => toNumber(param(name), name)),
          ])
          .where("id", "=", param("agentId")),
      )
      .onConflict((conflict) =>
        conflict.columns(["agentId", "day", "hour"]).doUpdateSet(addExcluded("conversationHours", counterNames)),
      ),
  );
}

const modelCounters = [
  "replies",
  "inputTokens",
  "cachedInputTokens",
  "outputTokens",
  "cost",
  "unknownCostReplies",
] as const;

/** Selects from the agents, like `addQuery`. */
function addModelQuery(db: Db) {
  return compileOnce<ModelDayRow, never>((param) =>
    db
      .insertInto("modelDays")
      .columns(["agentId", "day", "model", ...modelCounters])
      .expression(
        db
          .selectFrom("agents")
          .select([
            "id",
            sql<string>`cast(${param("day")} as text)`.as("day"),
            sql<string>`cast(${param("model")} as text)`.as("model"),
            ...modelCounters.map((name) => toNumber(param(name), name)),
          ])
          .where("id", "=", param("agentId")),
      )
      .onConflict((conflict) =>
        conflict.columns(["agentId", "day", "model"]).doUpdateSet(addExcluded("modelDays", modelCounters)),
      ),
  );
}

function toNumber<const N extends string>(value: unknown, name: N) {
  const type = name === "cost" ? "double precision" : "bigint";
  return sql<number>`cast(${value} as ${sql.raw(type)})`.as(name);
}

function addExcluded(table: string, names: readonly string[]) {
  return Object.fromEntries(
    names.map((name) => [name, sql<number>`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`]),
  );
}

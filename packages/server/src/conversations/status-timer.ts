import { DAY_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { isVisible } from "../db/deleted-agents.ts";
import type { Instant } from "../db/tables/column-types.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { createLeftOut } from "../jobs/left-out.ts";
import { createTimerLoop } from "../jobs/timer-loop.ts";
import type { ConversationLog } from "./log/log.ts";

const EVERY_MS = 5_000;
/** How long a conversation with the agent must be silent before it counts as resolved. */
const SILENT_MS = 30 * MINUTE_MS;
/** How long a conversation that could not be handled is left alone, so that it does not delay the others. */
const RETRY_MS = 5 * MINUTE_MS;

type DueConversation = {
  organizationId: string;
  conversationId: string;
  kind: "wake" | "resolve";
  /** who must still have it, for it to be due */
  handler: "agent" | "human";
  message: string | null;
  /** a conversation with a newer message is not due */
  silentSince: Instant;
};

/**
 * Opens snoozed conversations when their time has come, and resolves silent ones: those that the agent has after half an
 * hour, and those of members after the agent's `resolveAfter` days, if the visitor has not answered. Several processes
 * can run it, because the conversation is locked and checked again.
 * @param now a clock in milliseconds
 */
export function createStatusTimer(
  { db, databaseKind, log }: Pick<Deps, "db" | "databaseKind" | "log">,
  conversationLog: Pick<ConversationLog, "resolve" | "wake">,
  now: () => number = Date.now,
) {
  /** Conversations that could not be handled. */
  const failed = createLeftOut(databaseKind, now);

  const conversations = () =>
    db
      .selectFrom("conversations")
      .innerJoin("agents", "agents.id", "conversations.agentId")
      .select(["conversations.organizationId", "conversations.id as conversationId", "agents.resolveMessage"])
      .where(isVisible("conversations"))
      .where(failed.excludes("conversations.id"));

  /** Written as a literal, because SQLite uses a partial index only for a query with the same condition. */
  const isSilent = sql<boolean>`conversations.status = 'open' and conversations.handler <> 'waiting'`;

  async function readSnoozed(limit: number): Promise<DueConversation[]> {
    const rows = await conversations()
      .where("snoozedUntil", "is not", null)
      .where("snoozedUntil", "<=", now())
      .orderBy("snoozedUntil")
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, kind: "wake", handler: "agent", message: null, silentSince: 0 }));
  }

  async function readSilentWithAgent(limit: number): Promise<DueConversation[]> {
    const silentSince = now() - SILENT_MS;
    const rows = await conversations()
      .where(isSilent)
      .where("handler", "=", "agent")
      .where("conversations.updatedAt", "<", silentSince)
      .orderBy("conversations.updatedAt")
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, kind: "resolve", handler: "agent", message: null, silentSince }));
  }

  async function readSilentWithMember(limit: number): Promise<DueConversation[]> {
    const rows = await conversations()
      .select("agents.resolveAfter")
      .where(isSilent)
      .where("handler", "=", "human")
      .where("lastMessageRole", "=", "assistant")
      .where("resolveAfter", "is not", null)
      .where(
        "conversations.updatedAt",
        "<",
        sql<number>`cast(${now()} as bigint) - cast("resolveAfter" as bigint) * ${sql.lit(DAY_MS)}`,
      )
      .orderBy("conversations.updatedAt")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      ...row,
      kind: "resolve",
      handler: "human",
      message: row.resolveMessage,
      silentSince: now() - (row.resolveAfter ?? 0) * DAY_MS,
    }));
  }

  return createTimerLoop<DueConversation>({
    everyMs: EVERY_MS,
    async readDue(limit) {
      const due = [
        ...(await readSnoozed(limit)),
        ...(await readSilentWithAgent(limit)),
        ...(await readSilentWithMember(limit)),
      ];
      return due.slice(0, limit);
    },
    async handle({ kind, handler, message, silentSince, ...conversation }) {
      const by = { userId: null, isAutomatic: true };
      const isStillDue = (now: { handler: string; updatedAt: Instant }) =>
        now.handler === handler && now.updatedAt < silentSince;
      await inTransaction(db, async (trx) => {
        if (kind === "wake") await conversationLog.wake(trx, conversation, now());
        else await conversationLog.resolve(trx, conversation, { by, isStillDue, message });
      });
    },
    async postpone({ conversationId }, error) {
      failed.add(conversationId, now() + RETRY_MS);
      log.error({ err: error, conversationId }, "the status of a conversation could not be changed; retrying later");
    },
    log,
    failure: "the status of conversations could not be changed",
  });
}

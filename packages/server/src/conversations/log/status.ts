import { sql, type Transaction } from "kysely";
import type { Instant } from "../../db/tables/column-types.ts";
import type { StatusColumns } from "../../db/tables/status.ts";
import type { MessageRow, Tables } from "../../db/tables.ts";
import { newId } from "../../ids.ts";
import { createPreview } from "../message-preview.ts";
import type { ConversationRef, Emit } from "./change.ts";
import { askForRating } from "./conversation-ratings.ts";
import type { Ending } from "./handler.ts";
import { type ChangedBy, reopen } from "./reopen.ts";

type ReturnToAgent = (trx: Transaction<Tables>, conversation: ConversationRef, ending: Ending) => Promise<boolean>;

/** Changes whether a conversation is open, resolved or snoozed. */
export function createStatusChanges(emit: Emit, returnToAgent: ReturnToAgent) {
  /** Locks the conversation. */
  async function lock(trx: Transaction<Tables>, { organizationId, conversationId }: ConversationRef) {
    return trx
      .updateTable("conversations")
      .set((x) => ({ changedAt: x.ref("changedAt") }))
      .where("id", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .returning(["agentId", "isTest", "status", "handler", "snoozedUntil", "updatedAt", "lastMessageRole"])
      .executeTakeFirst();
  }

  type Locked = NonNullable<Awaited<ReturnType<typeof lock>>>;

  async function write(
    trx: Transaction<Tables>,
    { conversation, locked, by }: { conversation: ConversationRef; locked: Locked; by: ChangedBy },
    columns: StatusColumns,
  ): Promise<void> {
    const { organizationId, conversationId } = conversation;
    await trx
      .updateTable("conversations")
      .set({ ...columns, changedAt: sql`case when "changedAt" = 0 then "changedAt" else ${Date.now()} end` })
      .where("id", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .execute();
    const { agentId, isTest } = locked;
    const { status, snoozedUntil } = columns;
    await emit(trx, [{ ...conversation, agentId, isTest: isTest === 1, kind: "status", status, snoozedUntil, ...by }]);
  }

  async function resolve(
    trx: Transaction<Tables>,
    conversation: ConversationRef,
    { by, isStillDue = () => true, message = null }: Resolution,
  ): Promise<boolean> {
    const locked = await lock(trx, conversation);
    if (!locked || locked.status === "resolved" || !isStillDue(locked)) return false;
    if (message !== null) await appendLastMessage(trx, conversation, message);
    if (locked.handler !== "agent") {
      const ending = { from: "waiting or human", endedBy: "closed", note: null, epoch: null } as const;
      await returnToAgent(trx, conversation, { ...ending, userId: by.userId });
    }
    await write(trx, { conversation, locked, by }, { status: "resolved", snoozedUntil: null, resolvedAt: Date.now() });
    await askForRating(trx, conversation);
    return true;
  }

  return {
    /**
     * Resolves a conversation. If a person has it or the visitor waits for one, that ends, too.
     * @returns false when it is resolved already, or no longer due
     */
    resolve,
    /** @returns false when the visitor waits for a person, who must not be put off */
    async snooze(
      trx: Transaction<Tables>,
      conversation: ConversationRef,
      { until, userId }: { until: Instant; userId: string | null },
    ): Promise<boolean> {
      const locked = await lock(trx, conversation);
      if (!locked || locked.handler === "waiting") return false;
      const by = { userId, isAutomatic: false };
      await write(trx, { conversation, locked, by }, { status: "snoozed", snoozedUntil: until, resolvedAt: null });
      return true;
    },
    reopen: (trx: Transaction<Tables>, conversation: ConversationRef, by: ChangedBy) =>
      reopen(trx, conversation, { emit, by }),
    /** Reopens a snoozed conversation whose time has come. */
    async wake(trx: Transaction<Tables>, conversation: ConversationRef, now: Instant): Promise<void> {
      const locked = await lock(trx, conversation);
      if (!locked || locked.snoozedUntil === null || locked.snoozedUntil > now) return;
      await reopen(trx, conversation, { emit, by: { userId: null, isAutomatic: true } });
    },
  };
}

type Resolution = {
  by: ChangedBy;
  /** checks the locked conversation, because a message may have arrived since it became due */
  isStillDue?(conversation: { handler: string; updatedAt: Instant; lastMessageRole: string | null }): boolean;
  /** the agent's last words */
  message?: string | null;
};

/** Adds a message of the agent that no model wrote. The conversation is locked. */
async function appendLastMessage(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: ConversationRef,
  content: string,
): Promise<void> {
  const now = Date.now();
  const last = await trx
    .selectFrom("messages")
    .select((x) => x.fn.max("position").as("position"))
    .where("conversationId", "=", conversationId)
    .executeTakeFirst();
  const message = {
    id: newId("msg"),
    conversationId,
    position: Number(last?.position ?? -1) + 1,
    role: "assistant",
    content,
    stopReason: "end_turn",
    stopRequested: 0,
    createdAt: now,
    updatedAt: now,
  } satisfies Partial<MessageRow>;
  await trx.insertInto("messages").values(message).execute();
  await trx
    .updateTable("conversations")
    .set({
      messageCount: sql`"messageCount" + 1`,
      textBytes: sql`"textBytes" + ${Buffer.byteLength(content)}`,
      lastMessageRole: "assistant",
      lastMessagePreview: createPreview(content),
      lastMessageAt: now,
      updatedAt: now,
      changedAt: now,
      readAt: now,
    })
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .execute();
}

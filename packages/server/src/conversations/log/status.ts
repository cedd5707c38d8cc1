import type { Handler } from "@foyer/contract";
import { sql, type Transaction } from "kysely";
import type { Instant } from "../../db/tables/column-types.ts";
import type { StatusColumns } from "../../db/tables/status.ts";
import type { MessageRow, Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { newId } from "../../ids.ts";
import { createPreview } from "../message-preview.ts";
import type { ConversationRef, ConversationRefs, Emit } from "./change.ts";
import { askAllForRating } from "./conversation-ratings.ts";
import type { Ending } from "./handler.ts";
import { lockConversations } from "./marks.ts";
import { type ChangedBy, reopen } from "./reopen.ts";

type ReturnAll = (trx: Transaction<Tables>, conversations: ConversationRefs, ending: Ending) => Promise<number>;

/** Changes whether conversations are open, resolved or snoozed. */
export function createStatusChanges({ databaseKind }: Pick<Deps, "databaseKind">, emit: Emit, returnAll: ReturnAll) {
  /** Locks the conversation. What is in the trash keeps its status. */
  async function lock(trx: Transaction<Tables>, { organizationId, conversationId }: ConversationRef) {
    return trx
      .updateTable("conversations")
      .set((x) => ({ changedAt: x.ref("changedAt") }))
      .where("id", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .where("trashedAt", "is", null)
      .returning(["status", "handler", "snoozedUntil", "updatedAt", "lastMessageRole"])
      .executeTakeFirst();
  }

  /** Locks several conversations. Those in the trash are left out. */
  async function lockAll(trx: Transaction<Tables>, { organizationId, conversationIds }: ConversationRefs) {
    const ids = await lockConversations(trx, databaseKind, { organizationId, conversationIds });
    if (ids.length === 0) return [];
    return trx
      .selectFrom("conversations")
      .select(["id", "status", "handler"])
      .where("id", "in", ids)
      .where("organizationId", "=", organizationId)
      .execute();
  }

  /** Writes the status of conversations that the transaction has locked. */
  async function writeAll(
    trx: Transaction<Tables>,
    { organizationId, conversationIds }: ConversationRefs,
    { by, ...columns }: StatusColumns & { by: ChangedBy },
  ): Promise<void> {
    const rows = await trx
      .updateTable("conversations")
      .set({ ...columns, changedAt: sql`case when "changedAt" = 0 then "changedAt" else ${Date.now()} end` })
      .where("id", "in", conversationIds)
      .where("organizationId", "=", organizationId)
      .returning(["id", "agentId", "isTest"])
      .execute();
    const { status, snoozedUntil } = columns;
    const changes = rows.map(({ id: conversationId, agentId, isTest }) => {
      const place = { organizationId, conversationId, agentId, isTest: isTest === 1 };
      return { ...place, kind: "status" as const, status, snoozedUntil, ...by };
    });
    await emit(trx, changes);
  }

  type Locked = { id: string; handler: Handler };

  async function resolveLocked(
    trx: Transaction<Tables>,
    { organizationId, locked }: { organizationId: string; locked: readonly Locked[] },
    by: ChangedBy,
  ): Promise<void> {
    const conversations = { organizationId, conversationIds: locked.map(({ id }) => id) };
    const withPeople = locked.filter(({ handler }) => handler !== "agent").map(({ id }) => id);
    if (withPeople.length > 0) {
      const ending = { from: "waiting or human", endedBy: "closed", note: null, epoch: null } as const;
      await returnAll(trx, { organizationId, conversationIds: withPeople }, { ...ending, userId: by.userId });
    }
    await writeAll(trx, conversations, { by, status: "resolved", snoozedUntil: null, resolvedAt: Date.now() });
    await askAllForRating(trx, conversations, emit);
  }

  async function resolve(
    trx: Transaction<Tables>,
    conversation: ConversationRef,
    { by, isStillDue = () => true, message = null }: Resolution,
  ): Promise<boolean> {
    const { organizationId, conversationId } = conversation;
    const locked = await lock(trx, conversation);
    if (!locked || locked.status === "resolved" || !isStillDue(locked)) return false;
    if (message !== null) await appendLastMessage(trx, conversation, message);
    const { handler } = locked;
    await resolveLocked(trx, { organizationId, locked: [{ id: conversationId, handler }] }, by);
    return true;
  }

  return {
    /**
     * Resolves a conversation. If a person has it or the visitor waits for one, that ends, too.
     * @returns false when it is resolved already, or no longer due
     */
    resolve,
    /** Resolves several conversations. @returns the ids of those that were not resolved yet */
    async resolveAll(
      trx: Transaction<Tables>,
      conversations: ConversationRefs,
      by: ChangedBy,
    ): Promise<ReadonlySet<string>> {
      const { organizationId } = conversations;
      const locked = (await lockAll(trx, conversations)).filter(({ status }) => status !== "resolved");
      if (locked.length > 0) await resolveLocked(trx, { organizationId, locked }, by);
      return new Set(locked.map(({ id }) => id));
    },
    /** @returns false when the visitor waits for a person, who must not be put off */
    async snooze(
      trx: Transaction<Tables>,
      conversation: ConversationRef,
      { until, userId }: { until: Instant; userId: string | null },
    ): Promise<boolean> {
      const { organizationId, conversationId } = conversation;
      const locked = await lock(trx, conversation);
      if (!locked || locked.handler === "waiting") return false;
      const by = { userId, isAutomatic: false };
      const snoozed = { by, status: "snoozed", snoozedUntil: until, resolvedAt: null } as const;
      await writeAll(trx, { organizationId, conversationIds: [conversationId] }, snoozed);
      return true;
    },
    /** Snoozes several conversations. @returns the ids of those in which no visitor waits for a person */
    async snoozeAll(
      trx: Transaction<Tables>,
      conversations: ConversationRefs,
      { until, userId }: { until: Instant; userId: string | null },
    ): Promise<ReadonlySet<string>> {
      const { organizationId } = conversations;
      const locked = (await lockAll(trx, conversations)).filter(({ handler }) => handler !== "waiting");
      const conversationIds = locked.map(({ id }) => id);
      if (conversationIds.length === 0) return new Set();
      const by = { userId, isAutomatic: false };
      const snoozed = { by, status: "snoozed", snoozedUntil: until, resolvedAt: null } as const;
      await writeAll(trx, { organizationId, conversationIds }, snoozed);
      return new Set(conversationIds);
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

import { sql, type Transaction } from "kysely";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { hasFormerMember } from "../former-member.ts";
import type { ConversationRef, ConversationRefs, Emit, HandoffChange } from "./change.ts";
import { askAllForRating } from "./conversation-ratings.ts";
import { endReplies } from "./end-replies.ts";
import { lockConversations } from "./marks.ts";
import { newHandoff } from "./new-handoff.ts";
import { reopenAll } from "./reopen.ts";

/** How a person's part ends. `userId` is the member who ends it. */
export type Ending = { from: "waiting" | "waiting or human" } & (
  | { endedBy: "visitor"; userId: null; note: null; epoch: null }
  | ({
      note: string | null;
      /** returns the conversation only if it is in this epoch; null for any epoch */
      epoch: number | null;
    } & ({ endedBy: "member"; userId: string } | { endedBy: "closed"; userId: string | null }))
);

type Assignment = { userId: string; mayReplace: boolean; assignedBy: string | null };

/** Changes who handles a conversation, other than by a request for a person. */
export function createHandlerChanges({ databaseKind }: Pick<Deps, "databaseKind">, emit: Emit) {
  async function assignAll(
    trx: Transaction<Tables>,
    { organizationId, conversationIds }: ConversationRefs,
    { userId, mayReplace, assignedBy }: Assignment,
  ): Promise<{ assigned: ReadonlySet<string>; ended: string[] }> {
    const now = Date.now();
    if (conversationIds.length > 1) await lockConversations(trx, databaseKind, { organizationId, conversationIds });
    await reopenAll(trx, { organizationId, conversationIds }, { emit, by: { userId, isAutomatic: true } });
    const conversations = await trx
      .updateTable("conversations")
      .set({
        handler: "human",
        assigneeId: userId,
        epoch: sql`epoch + 1`,
        minReplyEpoch: sql`epoch + 1`,
        waitingSince: null,
        changedAt: now,
        failedTools: 0,
        failedReplies: 0,
      })
      .where("id", "in", conversationIds)
      .where("organizationId", "=", organizationId)
      .where("trashedAt", "is", null)
      .where(({ eb, or }) =>
        or([
          eb("handler", "<>", "human"),
          hasFormerMember,
          ...(mayReplace ? [sql<boolean>`"assigneeId" is distinct from ${userId}`] : []),
        ]),
      )
      .returning(["id", "agentId", "epoch", "isTest"])
      .execute();
    const assigned = new Set(conversations.map(({ id }) => id));
    if (assigned.size === 0) return { assigned, ended: [] };
    const ended = await endReplies(trx, [...assigned]);
    const open = await takeRequests(trx, [...assigned], { userId, now });
    const taken = new Map(open.map((handoff) => [handoff.conversationId, handoff]));
    const changes = conversations.map(({ id: conversationId, agentId, epoch, isTest }) => {
      const place = { organizationId, agentId, conversationId, isTest: isTest === 1, epoch };
      const change = { ...place, kind: "taken", userId, assignedBy } as const;
      const handoff = taken.get(conversationId);
      if (handoff) return { ...change, handoff, first: handoff.takenAt === now ? ("taken" as const) : null };
      const request = { organizationId, conversationId, cause: "member", reason: null } as const;
      const created = newHandoff(request, agentId, { now, promisedAt: null, takenBy: userId });
      return { ...change, handoff: created, first: "request" as const };
    });
    const created = changes.filter(({ first }) => first === "request").map(({ handoff }) => handoff);
    if (created.length > 0) await trx.insertInto("handoffs").values(created).execute();
    await emit(trx, changes);
    return { assigned, ended };
  }

  const returnAll = (trx: Transaction<Tables>, conversations: ConversationRefs, ending: Ending) =>
    returnConversations(trx, conversations, { ending, emit });

  return {
    /**
     * Assigns the conversation to a member and ends the agent's replies. This is atomic: only one of several concurrent
     * calls succeeds.
     * @param mayReplace whether the member may replace an assignee who still belongs to the organization
     * @returns the ids of the replies that were running; null when a member has the conversation, with `mayReplace` only
     * when that member already has it
     */
    async assign(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      assignment: Assignment,
    ): Promise<{ ended: string[] } | null> {
      const conversations = { organizationId, conversationIds: [conversationId] };
      const { assigned, ended } = await assignAll(trx, conversations, assignment);
      return assigned.size === 0 ? null : { ended };
    },
    /** Does the same to several conversations. @returns the ids of those that were assigned, and of the ended replies */
    assignAll,
    /**
     * Returns the conversation to the agent and ends the request.
     * @returns false when the conversation is in another epoch, or not in one of the states `from`
     */
    async returnToAgent(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      ending: Ending,
    ): Promise<boolean> {
      return (await returnAll(trx, { organizationId, conversationIds: [conversationId] }, ending)) > 0;
    },
    /** Does the same to several conversations, which the transaction has locked. @returns the number returned */
    returnAll,
    /** Updates the reason and the email address of the open request. */
    async updateRequest(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      { reason, email }: { reason: string | null; email: string | null },
    ): Promise<void> {
      const { numUpdatedRows } = await trx
        .updateTable("conversations")
        .set({ changedAt: Date.now() })
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("handler", "<>", "agent")
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      await trx
        .updateTable("handoffs")
        .set((x) => ({
          reason: x.fn.coalesce(x.val(reason), x.ref("reason")),
          email: x.fn.coalesce(x.val(email), x.ref("email")),
        }))
        .where("conversationId", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("endedAt", "is", null)
        .execute();
    },
  };
}

/** @returns the number of conversations that were returned to the agent */
async function returnConversations(
  trx: Transaction<Tables>,
  { organizationId, conversationIds }: ConversationRefs,
  { ending, emit }: { ending: Ending; emit: Emit },
): Promise<number> {
  const now = Date.now();
  const { userId, note, from, epoch } = ending;
  const conversations = await trx
    .updateTable("conversations")
    .set({
      handler: "agent",
      assigneeId: null,
      epoch: sql`epoch + 1`,
      waitingSince: null,
      changedAt: now,
      failedTools: 0,
      failedReplies: 0,
    })
    .where("id", "in", conversationIds)
    .where("organizationId", "=", organizationId)
    .where("handler", "in", from === "waiting" ? ["waiting"] : ["waiting", "human"])
    .$if(epoch !== null, (query) => query.where("epoch", "=", epoch))
    .returning(["id", "agentId", "epoch", "isTest"])
    .execute();
  if (conversations.length === 0) return 0;
  const returnedIds = conversations.map(({ id }) => id);
  const handoffs = await trx
    .updateTable("handoffs")
    .set({ endedAt: now, endedBy: ending.endedBy, endedById: userId, note })
    .where("conversationId", "in", returnedIds)
    .where("endedAt", "is", null)
    .returningAll()
    .execute();
  if (ending.endedBy === "closed") {
    await askAllForRating(trx, { organizationId, conversationIds: returnedIds }, emit);
  }
  const handoffOf = new Map(handoffs.map((handoff) => [handoff.conversationId, handoff]));
  const changes = conversations.map(({ id: conversationId, agentId, epoch: newEpoch, isTest }): HandoffChange => {
    const handoff = handoffOf.get(conversationId);
    if (!handoff) throw new Error(`The conversation ${conversationId} has no open request.`);
    const place = { organizationId, agentId, conversationId, isTest: isTest === 1, epoch: newEpoch, handoff };
    if (ending.endedBy === "visitor") return { ...place, kind: "cancelled" };
    if (ending.endedBy === "closed") return { ...place, kind: "closed", userId };
    return { ...place, kind: "returned", userId: ending.userId };
  });
  await emit(trx, changes);
  return changes.length;
}

/** Notes who took the open requests, as far as there are any. */
function takeRequests(
  trx: Transaction<Tables>,
  conversationIds: readonly string[],
  { userId, now }: { userId: string; now: number },
): Promise<HandoffRow[]> {
  return trx
    .updateTable("handoffs")
    .set({ takenAt: sql`coalesce("takenAt", ${now})`, takenBy: sql`coalesce("takenBy", ${userId})` })
    .set({ assignedAt: now, isAutomatic: 0 })
    .where("conversationId", "in", conversationIds)
    .where("endedAt", "is", null)
    .returningAll()
    .execute();
}

import { sql, type Transaction } from "kysely";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";
import { hasFormerMember } from "../former-member.ts";
import type { ConversationRef, Emit } from "./change.ts";
import { askForRating } from "./conversation-ratings.ts";
import { endReplies } from "./end-replies.ts";
import { newHandoff } from "./new-handoff.ts";
import { reopen } from "./reopen.ts";

/** How a person's part ends. `userId` is the member who ends it. */
export type Ending = { from: "waiting" | "waiting or human" } & (
  | { endedBy: "visitor"; userId: null; note: null; epoch: null }
  | ({
      note: string | null;
      /** returns the conversation only if it is in this epoch; null for any epoch */
      epoch: number | null;
    } & ({ endedBy: "member"; userId: string } | { endedBy: "closed"; userId: string | null }))
);

/** Changes who handles a conversation, other than by a request for a person. */
export function createHandlerChanges(emit: Emit) {
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
      { userId, mayReplace, assignedBy }: { userId: string; mayReplace: boolean; assignedBy: string | null },
    ): Promise<{ ended: string[] } | null> {
      const now = Date.now();
      await reopen(trx, { organizationId, conversationId }, { emit, by: { userId, isAutomatic: true } });
      const conversation = await trx
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
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("trashedAt", "is", null)
        .where(({ eb, or }) =>
          or([
            eb("handler", "<>", "human"),
            hasFormerMember,
            ...(mayReplace ? [sql<boolean>`"assigneeId" is distinct from ${userId}`] : []),
          ]),
        )
        .returning(["agentId", "epoch", "isTest"])
        .executeTakeFirst();
      if (!conversation) return null;
      const { agentId, epoch } = conversation;
      const ended = await endReplies(trx, conversationId);
      const taken = await takeRequest(trx, conversationId, { userId, now });
      const handoff =
        taken ??
        newHandoff({ organizationId, conversationId, cause: "member", reason: null }, agentId, {
          now,
          promisedAt: null,
          takenBy: userId,
        });
      if (!taken) await trx.insertInto("handoffs").values(handoff).execute();
      const first = taken ? (taken.takenAt === now ? "taken" : null) : "request";
      const place = { organizationId, agentId, conversationId, isTest: conversation.isTest === 1, epoch };
      await emit(trx, [{ ...place, kind: "taken", handoff, userId, assignedBy, first }]);
      return { ended };
    },
    /**
     * Returns the conversation to the agent and ends the request.
     * @returns false when the conversation is in another epoch, or not in one of the states `from`
     */
    async returnToAgent(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      ending: Ending,
    ): Promise<boolean> {
      const now = Date.now();
      const { userId, note, from, epoch } = ending;
      const conversation = await trx
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
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("handler", "in", from === "waiting" ? ["waiting"] : ["waiting", "human"])
        .$if(epoch !== null, (query) => query.where("epoch", "=", epoch))
        .returning(["agentId", "epoch", "isTest"])
        .executeTakeFirst();
      if (!conversation) return false;
      const handoff = await trx
        .updateTable("handoffs")
        .set({ endedAt: now, endedBy: ending.endedBy, endedById: userId, note })
        .where("conversationId", "=", conversationId)
        .where("endedAt", "is", null)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (ending.endedBy === "closed") await askForRating(trx, { organizationId, conversationId });
      const { agentId, isTest } = conversation;
      const place = { organizationId, agentId, conversationId, isTest: isTest === 1, epoch: conversation.epoch };
      if (ending.endedBy === "visitor") await emit(trx, [{ ...place, kind: "cancelled", handoff }]);
      else if (ending.endedBy === "closed") await emit(trx, [{ ...place, kind: "closed", handoff, userId }]);
      else await emit(trx, [{ ...place, kind: "returned", handoff, userId: ending.userId }]);
      return true;
    },
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

/** Notes who took the open request, if there is one. */
function takeRequest(
  trx: Transaction<Tables>,
  conversationId: string,
  { userId, now }: { userId: string; now: number },
): Promise<HandoffRow | undefined> {
  return trx
    .updateTable("handoffs")
    .set({ takenAt: sql`coalesce("takenAt", ${now})`, takenBy: sql`coalesce("takenBy", ${userId})` })
    .where("conversationId", "=", conversationId)
    .where("endedAt", "is", null)
    .returningAll()
    .executeTakeFirst();
}

import { sql, type Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import type { ConversationRef, Emit } from "./change.ts";
import { reopen } from "./reopen.ts";
import { findTeam, type OpenRequest, readAgent } from "./requests.ts";
import { lockUnanswered } from "./unanswered.ts";

/** Gives conversations to teams. */
export function createTeamMoves(emit: Emit, openRequest: OpenRequest) {
  /**
   * Makes the visitor wait for a team, whoever has the conversation. An open request ends, and a new one with the same
   * subject begins, so that the team's members are notified and its targets start.
   * @param team.unanswered only if this member has the conversation and has kept the visitor waiting since this time
   * @returns whether the conversation was not already waiting for the team
   */
  async function moveToTeam(
    trx: Transaction<Tables>,
    { organizationId, conversationId }: ConversationRef,
    { teamId, unanswered }: { teamId: string; unanswered?: { userId: string; since: number } },
  ): Promise<boolean> {
    const now = Date.now();
    if (unanswered && !(await lockUnanswered(trx, { organizationId, conversationId }, unanswered))) return false;
    await reopen(trx, { organizationId, conversationId }, { emit, by: { userId: null, isAutomatic: true } });
    const moved = await trx
      .updateTable("conversations")
      .set({
        teamId,
        handler: "waiting",
        assigneeId: null,
        epoch: sql`epoch + 1`,
        waitingSince: sql`coalesce("waitingSince", ${now})`,
        changedAt: now,
        failedTools: 0,
        failedReplies: 0,
      })
      .where("id", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .where("trashedAt", "is", null)
      .where(({ eb, or }) => or([eb("handler", "<>", "waiting"), eb("teamId", "is distinct from", teamId)]))
      .returning(["agentId", "epoch", "isTest"])
      .executeTakeFirst();
    if (!moved) return false;
    const agent = await readAgent(trx, organizationId, moved.agentId);
    const earlier = await trx
      .updateTable("handoffs")
      .set({ endedAt: now, endedBy: "moved" })
      .where("conversationId", "=", conversationId)
      .where("endedAt", "is", null)
      .returning(["cause", "reason", "summary", "email"])
      .executeTakeFirst();
    const { cause = "visitor", ...subject } = earlier ?? { reason: null };
    const newCause = cause === "member" ? "visitor" : cause;
    const newRequest = { organizationId, conversationId, ...subject, teamId, cause: newCause };
    await openRequest(trx, agent, { newRequest, ...moved, now });
    return true;
  }

  return {
    moveToTeam,
    /**
     * Makes a visitor wait for another team because no member of this one took the conversation in time. The other team
     * does not pass it on, so that two teams cannot pass it back and forth.
     * @returns false when the visitor no longer waits for this team
     */
    async passOn(
      trx: Transaction<Tables>,
      conversation: ConversationRef,
      { from, to }: { from: string; to: string },
    ): Promise<boolean> {
      const { organizationId, conversationId } = conversation;
      const waiting = await trx
        .updateTable("conversations")
        .set({ changedAt: Date.now() })
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("handler", "=", "waiting")
        .where("teamId", "=", from)
        .returning("id")
        .executeTakeFirst();
      if (!waiting || !(await moveToTeam(trx, conversation, { teamId: to }))) return false;
      await trx
        .updateTable("handoffs")
        .set({ escalatesAt: null })
        .where("conversationId", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("endedAt", "is", null)
        .execute();
      return true;
    },
    /** Makes a conversation that a member has count for the team, or for none, for which it did before. */
    async restoreTeam(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      earlierTeamId: string | null,
    ): Promise<void> {
      const teamId = await findTeam(trx, organizationId, earlierTeamId);
      await trx
        .updateTable("conversations")
        .set({ teamId })
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .execute();
      await trx
        .updateTable("handoffs")
        .set({ teamId })
        .where("conversationId", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("endedAt", "is", null)
        .execute();
    },
    /** Makes the conversations of a deleted team wait for everyone. Those that a member has stay there. */
    async leaveTeam(trx: Transaction<Tables>, organizationId: string, teamId: string): Promise<void> {
      await trx
        .updateTable("conversations")
        .set({ teamId: null })
        .where("organizationId", "=", organizationId)
        .where("teamId", "=", teamId)
        .where("handler", "=", "agent")
        .execute();
      await trx
        .updateTable("conversations")
        .set({ teamId: null, epoch: sql`epoch + 1`, changedAt: Date.now() })
        .where("organizationId", "=", organizationId)
        .where("teamId", "=", teamId)
        .execute();
      await trx
        .updateTable("handoffs")
        .set({ teamId: null, escalatesAt: null, targets: null, warnAt: null })
        .where("organizationId", "=", organizationId)
        .where("teamId", "=", teamId)
        .where("endedAt", "is", null)
        .execute();
    },
  };
}

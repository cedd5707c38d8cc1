import type { Transaction } from "kysely";
import { isMemberUntilCommit } from "../auth/members/members.ts";
import type { ChatService } from "../chat/service.ts";
import type { RecordHandoff } from "../conversations/handoff-change.ts";
import type { ConversationRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import type { HandoffCounters } from "./counters.ts";
import { assignTo, insertHandoff } from "./store.ts";

type Parts = { handOver: ChatService["handOver"]; counters: HandoffCounters; record: RecordHandoff };

export type AssignConversation = ReturnType<typeof createAssignConversation>;

/**
 * @returns a function that assigns a conversation to a member and stops the agent's running reply. If another member
 * has the conversation, the assignee changes only with `mayReplace`. `work` always runs in the same transaction;
 * `isAssigned` reports whether the conversation was assigned. The function throws 409 if the member has been removed
 * from the organization since the request began.
 */
export function createAssignConversation(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  { handOver, counters, record }: Parts,
) {
  return async <T>(
    { organizationId, id: conversationId }: Pick<ConversationRow, "id" | "organizationId">,
    { userId, mayReplace, assignedBy = null }: { userId: string; mayReplace: boolean; assignedBy?: string | null },
    work: (trx: Transaction<Tables>, isAssigned: boolean) => Promise<T>,
  ): Promise<T> => {
    const silent = await handOver.stop(conversationId);
    const { ended, result } = await inTransaction(db, async (trx) => {
      // Without this lock, a concurrent removal of the member would not release this conversation.
      if (!(await isMemberUntilCommit(trx, databaseKind, { organizationId, userId }))) throw memberHasLeftError();
      const assignment = await assignTo(trx, { organizationId, conversationId }, { userId, mayReplace });
      if (!assignment) return { ended: [], result: await work(trx, false) };
      const { handoff, first, isTest, agentId, epoch } = assignment;
      const ended = await handOver.endReplies(trx, conversationId);
      const at = handoff.takenAt ?? handoff.requestedAt;
      if (first === "request") {
        await counters.count(trx, handoff, { event: "requested", at, isTest });
        await insertHandoff(trx, handoff);
      } else if (first === "taken") await counters.count(trx, handoff, { event: "taken", at, isTest });
      const conversationRef = { organizationId, agentId, conversationId, epoch };
      await record(trx, { ...conversationRef, kind: "taken", handoffId: handoff.id, userId, assignedBy });
      return { ended, result: await work(trx, true) };
    });
    await handOver.settle(conversationId, silent, ended);
    return result;
  };
}

function memberHasLeftError(): AppError {
  return new AppError("CONFLICT", "This member no longer belongs to the organization.");
}

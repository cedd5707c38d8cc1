import type { Transaction } from "kysely";
import { isMemberUntilCommit } from "../auth/members/members.ts";
import type { ChatService } from "../chat/service.ts";
import type { ConversationLog } from "../conversations/log/log.ts";
import type { ConversationRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";

type Parts = { handOver: ChatService["handOver"] };

type Assignment = {
  userId: string;
  mayReplace: boolean;
  assignedBy?: string | null;
  /** takes the locks of `work` that have to be taken before that of the conversation */
  prepare?(trx: Transaction<Tables>): Promise<void>;
};

export type AssignConversation = ReturnType<typeof createAssignConversation>;
export type AssignConversations = ReturnType<typeof createAssignConversations>;

/**
 * @returns a function that assigns a conversation to a member and stops the agent's running reply. If another member
 * has the conversation, the assignee changes only with `mayReplace`. `work` always runs in the same transaction;
 * `isAssigned` reports whether the conversation was assigned. The function throws 409 if the member has been removed
 * from the organization since the request began.
 */
export function createAssignConversation(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  { handOver, log }: Parts & { log: Pick<ConversationLog, "assign"> },
) {
  return async <T>(
    { organizationId, id: conversationId }: Pick<ConversationRow, "id" | "organizationId">,
    { userId, mayReplace, assignedBy = null, prepare }: Assignment,
    work: (trx: Transaction<Tables>, isAssigned: boolean) => Promise<T>,
  ): Promise<T> => {
    const silent = await handOver.stop([conversationId]);
    const { ended, result } = await inTransaction(db, async (trx) => {
      // Without this lock, a concurrent removal of the member would not release this conversation.
      if (!(await isMemberUntilCommit(trx, databaseKind, { organizationId, userId }))) throw memberHasLeftError();
      await prepare?.(trx);
      const assigned = await log.assign(trx, { organizationId, conversationId }, { userId, mayReplace, assignedBy });
      return { ended: assigned?.ended ?? [], result: await work(trx, assigned !== null) };
    });
    await handOver.settle([conversationId], silent, ended);
    return result;
  };
}

/**
 * @returns a function that assigns several conversations of an organization to a member in one transaction, also those
 * that another member has, and stops the agent's running replies. It returns the ids of those that the member did not
 * have yet, and throws 409 if the member has been removed from the organization.
 */
export function createAssignConversations(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  { handOver, log }: Parts & { log: Pick<ConversationLog, "assignAll"> },
) {
  return async (
    { organizationId, conversationIds }: { organizationId: string; conversationIds: readonly string[] },
    { userId, assignedBy }: { userId: string; assignedBy: string },
  ): Promise<ReadonlySet<string>> => {
    const silent = await handOver.stop(conversationIds);
    const { assigned, ended } = await inTransaction(db, async (trx) => {
      if (!(await isMemberUntilCommit(trx, databaseKind, { organizationId, userId }))) throw memberHasLeftError();
      return log.assignAll(trx, { organizationId, conversationIds }, { userId, mayReplace: true, assignedBy });
    });
    await handOver.settle(conversationIds, silent, ended);
    return assigned;
  };
}

function memberHasLeftError(): AppError {
  return new AppError("CONFLICT", "This member no longer belongs to the organization.");
}

import type { ReplyActions } from "@foyer/contract";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import { isTeam } from "../auth/members/is-team.ts";
import { areMembers, isMemberUntilCommit } from "../auth/members/members.ts";
import type { ConversationLog } from "../conversations/log/log.ts";
import type { TagService } from "../conversations/tags/service.ts";
import type { Db } from "../db/open.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { type AppError, checkAllSequentially, invalid } from "../errors.ts";

type Parts = {
  log: Pick<ConversationLog, "assign" | "moveToTeam" | "resolve" | "snooze">;
  tags: Pick<TagService, "addExisting">;
};

export type ReplyActionRunner = ReturnType<typeof createReplyActionRunner>;

/** Runs the actions of a reply in the transaction that stores it, so that either all of it happens or nothing. */
export function createReplyActionRunner({ databaseKind }: Pick<Deps, "databaseKind">, { log, tags }: Parts) {
  return {
    /**
     * Locks the members that the actions name. Call this before anything locks a conversation.
     * @throws 400 when the actions contradict each other or name someone who is not a member
     */
    async prepare(trx: Transaction<Tables>, organizationId: string, actions: ReplyActions): Promise<void> {
      checkActions(actions);
      const userId = actions.assign?.userId;
      if (userId === undefined) return;
      if (!(await isMemberUntilCommit(trx, databaseKind, { organizationId, userId }))) throw noMemberError();
    },
    /**
     * Runs the actions on a conversation that the member has, and that the transaction has locked.
     * @throws 400 naming the tag or team that does not exist
     */
    async run(
      trx: Transaction<Tables>,
      { organizationId, userId }: { organizationId: string; userId: string },
      { conversationId, actions }: { conversationId: string; actions: ReplyActions },
    ): Promise<void> {
      const conversation = { organizationId, conversationId };
      const { tagIds = [], assign, snoozeMinutes, resolve = false } = actions;
      await tags.addExisting(trx, { ...conversation, tagIds, path: "actions.tagIds" });
      if (assign?.teamId !== undefined) {
        if (!(await isTeam(trx, organizationId, assign.teamId))) throw noTeamError();
        await log.moveToTeam(trx, conversation, { teamId: assign.teamId });
      }
      if (assign?.userId !== undefined) {
        await log.assign(trx, conversation, { userId: assign.userId, mayReplace: true, assignedBy: userId });
      }
      if (snoozeMinutes !== undefined) {
        await log.snooze(trx, conversation, { until: Date.now() + snoozeMinutes * MINUTE_MS, userId });
      }
      if (resolve) await log.resolve(trx, conversation, { by: { userId, isAutomatic: false } });
    },
  };
}

/** @throws 400 naming each contradiction, and each tag, member and team that the organization does not have */
export async function checkReplyActions(db: Db, organizationId: string, actions: ReplyActions): Promise<void> {
  const { tagIds = [], assign = {} } = actions;
  const { userId, teamId } = assign;
  await checkAllSequentially([
    () => checkActions(actions),
    async () => {
      if (tagIds.length === 0) return;
      const rows = await db
        .selectFrom("tags")
        .select("id")
        .where("organizationId", "=", organizationId)
        .where("id", "in", tagIds)
        .execute();
      const known = new Set(rows.map(({ id }) => id));
      const missing = tagIds.findIndex((id) => !known.has(id));
      if (missing === -1) return;
      throw invalid(`actions.tagIds.${missing}`, "names a tag that does not exist", "unknown_reference");
    },
    async () => {
      if (userId !== undefined && !(await areMembers(db, organizationId, [userId]))) throw noMemberError();
    },
    async () => {
      if (teamId !== undefined && !(await isTeam(db, organizationId, teamId))) throw noTeamError();
    },
  ]);
}

/** @throws 400 when more than one action decides what happens next with the conversation */
function checkActions({ assign, snoozeMinutes, resolve = false }: ReplyActions): void {
  if ([assign !== undefined, snoozeMinutes !== undefined, resolve].filter(Boolean).length <= 1) return;
  throw invalid("actions", "can have only one of `assign`, `snoozeMinutes` and `resolve`");
}

function noMemberError(): AppError {
  return invalid("actions.assign.userId", "is not a member of this organization", "unknown_reference");
}

function noTeamError(): AppError {
  return invalid("actions.assign.teamId", "names a team that does not exist", "unknown_reference");
}

import type { BulkActionName } from "@foyer/contract";
import { tagKey, toTagName } from "@foyer/contract/rules/tag-name";
import type { Transaction } from "kysely";
import { isTeam } from "../../auth/members/is-team.ts";
import type { ConversationRef, ConversationRefs } from "../../conversations/log/change.ts";
import type { ConversationLog } from "../../conversations/log/log.ts";
import { lockConversation } from "../../conversations/log/marks.ts";
import type { TagService } from "../../conversations/tags/service.ts";
import type { ConversationTrash } from "../../conversations/trash.ts";
import type { Instant } from "../../db/tables/column-types.ts";
import type { ConversationRow, Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { AssignConversation, AssignConversations } from "../assign-conversation.ts";

/** The action of a bulk action with its parameters, as it is stored. */
export type StoredChange = { action: BulkActionName; userId?: string; teamId?: string; until?: Instant; tag?: string };

/** What an undo needs to know about a conversation before its change. */
export type Before = Pick<
  ConversationRow,
  "handler" | "assigneeId" | "teamId" | "epoch" | "status" | "snoozedUntil"
> & {
  readAt: Instant | null;
  /** whether it has the tag of the change; false for other changes */
  isTagged: boolean;
};

/** A conversation to change, and who changes it. */
export type Target = {
  organizationId: string;
  conversationId: string;
  userId: string;
  /** the member's name, for the trash */
  userName: string;
  before: Before;
  /** whether the change may have been made before a crash. It counts as made then, because an undo checks it again. */
  isRepeated: boolean;
  /** when the bulk action was requested */
  requestedAt: Instant;
};

/** Conversations of the same bulk action. */
type Targets = readonly [Target, ...Target[]];

/**
 * `apply` and `undo` resolve to whether they changed the conversation, and `applyToAll` to the ids of those that it
 * changed. They can be repeated after a crash, and throw an `AppError` when the change does not apply.
 */
export type Change = {
  apply(target: Target): Promise<boolean>;
  undo(target: Target): Promise<boolean>;
  /** changes several conversations with the same statements; only for changes that write many of them */
  applyToAll?(targets: Targets): Promise<ReadonlySet<string>>;
};

type Parts = {
  assignConversation: AssignConversation;
  assignConversations: AssignConversations;
  log: ConversationLog;
  tags: TagService;
  trash: ConversationTrash;
};

/** @returns a function that creates the change of one conversation, and its undo, for a stored change */
export function createChanges(deps: Pick<Deps, "db">, parts: Parts) {
  const { log, tags, trash } = parts;
  const changes: Record<BulkActionName, (change: StoredChange) => Change> = {
    assign: ({ userId = "", teamId }) =>
      teamId === undefined ? assignTo(userId, deps, parts) : assignToTeam(teamId, deps, parts),
    resolve: () => resolveAll(deps, parts),
    reopen: () => ({
      apply: async ({ before, ...target }) =>
        before.status !== "open" &&
        inTransaction(deps.db, async (trx) => {
          await log.reopen(trx, target, { userId: target.userId, isAutomatic: false });
          return true;
        }),
      undo: (target) => restoreStatus(deps, log, { target, isAsLeft: ({ status }) => status === "open" }),
    }),
    snooze: ({ until = 0 }) => ({
      apply: (target) => inTransaction(deps.db, (trx) => log.snooze(trx, target, { until, userId: target.userId })),
      applyToAll: (targets) =>
        inTransaction(deps.db, (trx) => log.snoozeAll(trx, toRefs(targets), { until, userId: targets[0].userId })),
      undo: (target) =>
        restoreStatus(deps, log, {
          target,
          isAsLeft: ({ status, snoozedUntil }) => status === "snoozed" && snoozedUntil === until,
        }),
    }),
    read: () => ({
      async apply({ organizationId, conversationId, before, requestedAt }) {
        if (before.readAt !== null && before.readAt >= requestedAt) return false;
        return log.markRead(organizationId, conversationId, requestedAt);
      },
      async applyToAll(targets) {
        const { organizationId, requestedAt } = targets[0];
        const unread = targets.filter(({ before: { readAt } }) => readAt === null || readAt < requestedAt);
        const conversationIds = unread.map(({ conversationId }) => conversationId);
        if (conversationIds.length === 0) return new Set();
        return new Set(await log.markAllRead({ organizationId, conversationIds }, requestedAt));
      },
      undo: ({ organizationId, conversationId, before, requestedAt }) =>
        log.restoreReadMark(organizationId, conversationId, { readAt: before.readAt, markedAt: requestedAt }),
    }),
    tag: ({ tag = "" }) => ({
      async apply({ organizationId, conversationId, before }) {
        if (before.isTagged) return false;
        await tags.add(organizationId, conversationId, tag);
        return true;
      },
      async applyToAll(targets) {
        const conversationIds = targets.filter(({ before }) => !before.isTagged).map((target) => target.conversationId);
        if (conversationIds.length === 0) return new Set();
        return tags.addToAll({ organizationId: targets[0].organizationId, conversationIds }, tag);
      },
      undo: (target) => removeTag(target, tag),
    }),
    untag: ({ tag = "" }) => ({
      apply: async (target) => target.before.isTagged && removeTag(target, tag),
      async undo({ organizationId, conversationId, before }) {
        if (!before.isTagged) return false;
        await tags.add(organizationId, conversationId, tag);
        return true;
      },
    }),
    trash: () => ({
      async apply({ organizationId, conversationId, userName }) {
        await trash.trash(organizationId, conversationId, userName);
        return true;
      },
      applyToAll: (targets) => trash.trashAll(toRefs(targets), targets[0].userName),
      async undo({ organizationId, conversationId }) {
        await trash.restore(organizationId, conversationId);
        return true;
      },
    }),
  };

  async function removeTag({ organizationId, conversationId }: Target, name: string): Promise<boolean> {
    const key = tagKey(toTagName(name));
    const tag = await deps.db
      .selectFrom("tags")
      .select("id")
      .where("organizationId", "=", organizationId)
      .where("nameKey", "=", key)
      .executeTakeFirst();
    if (!tag) return false;
    await tags.remove(organizationId, conversationId, tag.id);
    return true;
  }

  return (change: StoredChange): Change => changes[change.action](change);
}

const toRefs = (targets: Targets): ConversationRefs => ({
  organizationId: targets[0].organizationId,
  conversationIds: targets.map(({ conversationId }) => conversationId),
});

function assignTo(assigneeId: string, deps: Pick<Deps, "db">, parts: Parts): Change {
  return {
    async applyToAll(targets) {
      const assignedBy = targets[0].userId;
      return parts.assignConversations(toRefs(targets), { userId: assigneeId, assignedBy });
    },
    apply: ({ organizationId, conversationId, userId }) =>
      parts.assignConversation(
        { organizationId, id: conversationId },
        { userId: assigneeId, mayReplace: true, assignedBy: userId },
        async (_, isAssigned) => isAssigned,
      ),
    undo: (target) => giveBack(target, deps, parts),
  };
}

function assignToTeam(teamId: string, deps: Pick<Deps, "db">, parts: Parts): Change {
  return {
    apply: ({ organizationId, conversationId }) =>
      inTransaction(deps.db, async (trx) => {
        // The team may have been deleted since the request.
        if (!(await isTeam(trx, organizationId, teamId))) return false;
        return parts.log.moveToTeam(trx, { organizationId, conversationId }, { teamId });
      }),
    undo: (target) => giveBack(target, deps, parts),
  };
}

/**
 * Gives a conversation back to who had it before an assignment.
 * @returns false when it has since passed to someone else, for example by the team's automatic assignment
 */
async function giveBack(
  { organizationId, conversationId, userId, before }: Target,
  { db }: Pick<Deps, "db">,
  { assignConversation, log }: Parts,
): Promise<boolean> {
  const conversation = { organizationId, conversationId };
  // The assignment began this epoch.
  const epoch = before.epoch + 1;
  if (before.handler === "human" && before.assigneeId !== null) {
    const current = await db
      .selectFrom("conversations")
      .select("epoch")
      .where("id", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .executeTakeFirst();
    if (current?.epoch !== epoch) return false;
    return assignConversation(
      { organizationId, id: conversationId },
      { userId: before.assigneeId, mayReplace: true, assignedBy: userId },
      async (trx, isAssigned) => {
        if (isAssigned) await log.restoreTeam(trx, conversation, before.teamId);
        return isAssigned;
      },
    );
  }
  return inTransaction(db, async (trx) => {
    const ending = { from: "waiting or human", endedBy: "member", userId, note: null, epoch } as const;
    if (!(await log.returnToAgent(trx, conversation, ending))) return false;
    if (before.handler === "waiting") await requestAgain(trx, log, { ...conversation, teamId: before.teamId });
    return true;
  });
}

function resolveAll({ db }: Pick<Deps, "db">, { assignConversation, log }: Parts): Change {
  return {
    apply: (target) =>
      inTransaction(db, (trx) => log.resolve(trx, target, { by: { userId: target.userId, isAutomatic: false } })),
    applyToAll: (targets) =>
      inTransaction(db, (trx) =>
        log.resolveAll(trx, toRefs(targets), { userId: targets[0].userId, isAutomatic: false }),
      ),
    async undo(target) {
      const { organizationId, conversationId, userId, before } = target;
      const isAsLeft = ({ status }: Standing) => status === "resolved";
      // In the same transaction, so that no visitor who waited is left with the agent when a process dies in between.
      const alsoRestore = async (trx: Transaction<Tables>) => {
        if (before.handler !== "waiting") return;
        await requestAgain(trx, log, { organizationId, conversationId, teamId: before.teamId });
      };
      if (!(await restoreStatus({ db }, log, { target, isAsLeft, alsoRestore }))) return false;
      if (before.handler === "human" && before.assigneeId !== null) {
        const assignment = { userId: before.assigneeId, mayReplace: false, assignedBy: userId };
        await assignConversation({ organizationId, id: conversationId }, assignment, async () => {});
      }
      return true;
    },
  };
}

type Standing = Pick<Before, "status" | "snoozedUntil">;

/** Gives a conversation its earlier status, unless a person or a message has changed it since. */
async function restoreStatus(
  { db }: Pick<Deps, "db">,
  log: ConversationLog,
  {
    target,
    isAsLeft,
    alsoRestore = async () => {},
  }: {
    target: Target;
    isAsLeft(current: Standing): boolean;
    /** restores what else an open conversation had */
    alsoRestore?(trx: Transaction<Tables>): Promise<void>;
  },
): Promise<boolean> {
  const { organizationId, conversationId, userId, before } = target;
  const conversation = { organizationId, conversationId };
  return inTransaction(db, async (trx) => {
    if (!(await lockConversation(trx, conversation))) return false;
    const current = await trx
      .selectFrom("conversations")
      .select(["status", "snoozedUntil"])
      .where("id", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .executeTakeFirst();
    if (!current || !isAsLeft(current)) return false;
    const by = { userId, isAutomatic: false };
    if (before.status === "resolved") return log.resolve(trx, conversation, { by });
    if (before.status === "snoozed" && before.snoozedUntil !== null) {
      return log.snooze(trx, conversation, { until: before.snoozedUntil, userId });
    }
    await log.reopen(trx, conversation, by);
    await alsoRestore(trx);
    return true;
  });
}

/** Lets the visitor wait for a person of the team again, as before. The team is notified as for any request. */
async function requestAgain(
  trx: Transaction<Tables>,
  log: ConversationLog,
  { organizationId, conversationId, teamId }: ConversationRef & Pick<Before, "teamId">,
): Promise<void> {
  const agent = await trx
    .selectFrom("agents")
    .innerJoin("conversations", "conversations.agentId", "agents.id")
    .select(["agents.id", "agents.handoff"])
    .where("conversations.id", "=", conversationId)
    .where("conversations.organizationId", "=", organizationId)
    .executeTakeFirstOrThrow();
  const { cause, reason, summary, email } = await trx
    .selectFrom("handoffs")
    .select(["cause", "reason", "summary", "email"])
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", conversationId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  await log.request(trx, agent, { organizationId, conversationId, teamId, cause, reason, summary, email });
}

import type { Message, Ownership, ReplyActions } from "@foyer/contract";
import type { Transaction } from "kysely";
import { parseHandoff } from "../agents/handoff.ts";
import type { AgentService } from "../agents/service.ts";
import { isTeam } from "../auth/members/is-team.ts";
import { areMembers } from "../auth/members/members.ts";
import type { AttachmentService } from "../conversations/attachments/service.ts";
import type { ConversationLog } from "../conversations/log/log.ts";
import { type ConversationService, toMessage } from "../conversations/service.ts";
import type { Viewer } from "../conversations/store.ts";
import type { AttachmentRow } from "../db/tables/attachments.ts";
import type { ConversationRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../errors.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import type { AssignConversation } from "./assign-conversation.ts";
import { deleteDraft } from "./drafts/store.ts";
import type { ReplyActionRunner } from "./reply-actions.ts";

/** The member who performs the action. */
export type Member = { organizationId: string; userId: string; name: string };

/**
 * A message to send. `attachments` are the ids of the member's uploads. With `endsDraft`, the member's draft of a reply
 * is deleted with it. A message from a team chat leaves alone what the member has written in the dashboard.
 */
type Sent = {
  content: string;
  endsDraft?: boolean;
  attachments?: { ids: readonly string[]; uploaderId: string };
  actions?: ReplyActions;
  keep?: SaveResponse | undefined;
};

/**
 * Runs in the transaction of the action, so that the caller can record the command together with its effect and
 * recognize it when it arrives again. Otherwise, a repeated return could end the visitor's next request.
 */
type OnWrite = (trx: Transaction<Tables>) => Promise<void>;
/** `isResolved` is false if the conversation was resolved already. */
type OnResolve = (trx: Transaction<Tables>, isResolved: boolean) => Promise<void>;

/**
 * With `epoch`, the handoff ends only if the conversation is still in that epoch, so that a repeated call does not end
 * a later request.
 */
type EndOptions = { onWrite?: OnWrite; epoch?: number | null };

/** Who continues a conversation: a member, a team, or a member for a team. */
type Assignee = { userId?: string | null; teamId?: string | null };

/** `until` is in milliseconds. */
type Snooze = { until: number; onWrite?: OnWrite };

export type InboxParts = {
  agents: AgentService;
  conversations: ConversationService;
  attachments: Pick<AttachmentService, "resolveUploads">;
  assignConversation: AssignConversation;
  actions: ReplyActionRunner;
  log: ConversationLog;
};

export type InboxService = ReturnType<typeof createInboxService>;

/** Hands conversations over to members of the team and returns them to the agent. */
export function createInboxService({ db }: Pick<Deps, "db">, parts: InboxParts) {
  const { agents, conversations, attachments: uploads, assignConversation, log } = parts;
  const storeMessage = createMessageSender(log, parts.actions);
  const end = createHandoffEnder({ db }, { conversations, ownership: readOwnership, log });

  async function readOwnership(viewer: Viewer, id: string): Promise<Ownership> {
    return conversations.ownershipOf(await conversations.existing(viewer, id), "organizationId" in viewer);
  }

  /** @throws 409 naming the member who has the conversation */
  async function checkOwner(member: Member, id: string): Promise<Ownership> {
    const current = await readOwnership({ organizationId: member.organizationId }, id);
    if (current.assignee?.userId === member.userId) return current;
    throw new AppError("CONFLICT", `${current.assignee?.name ?? "Another member"} has this conversation.`);
  }

  async function moveToTeam(
    { organizationId, id: conversationId }: Pick<ConversationRow, "organizationId" | "id">,
    teamId: string,
    onWrite: OnWrite | undefined,
  ): Promise<void> {
    await inTransaction(db, async (trx) => {
      if (!(await isTeam(trx, organizationId, teamId)))
        throw invalid("teamId", "is not a team of this organization", "unknown_reference");
      await log.moveToTeam(trx, { organizationId, conversationId }, { teamId });
      await onWrite?.(trx);
    });
  }

  return {
    ownership: readOwnership,
    /** Requests a person, for the visitor or for an API key. @throws 409 when handoff is disabled for the agent */
    async request(viewer: Viewer, id: string, asked: { reason: string | null; email: string | null }) {
      const { organizationId, agentId } = await conversations.existing(viewer, id);
      const agent = await agents.getPublic(agentId);
      if (!parseHandoff(agent).isEnabled)
        throw new AppError("CONFLICT", "Handoff to people is disabled for this agent.");
      const conversation = { organizationId, conversationId: id };
      await inTransaction(db, async (trx) => {
        const isNew = await log.request(trx, agent, { ...conversation, cause: "visitor", ...asked });
        if (!isNew) await log.updateRequest(trx, conversation, asked);
      });
      return readOwnership(viewer, id);
    },
    /** Cancels the visitor's request for a person. @throws 409 when a member has the conversation */
    async cancel(viewer: Viewer, id: string): Promise<Ownership> {
      const { organizationId } = await conversations.existing(viewer, id);
      const ending = { from: "waiting", endedBy: "visitor", userId: null, note: null, epoch: null } as const;
      await inTransaction(db, (trx) => log.returnToAgent(trx, { organizationId, conversationId: id }, ending));
      const current = await readOwnership(viewer, id);
      if (current.handler === "human")
        throw new AppError("CONFLICT", "A member of the team already has this conversation.");
      return current;
    },
    /** @throws 409 naming the member who has the conversation */
    async takeOver(member: Member, id: string, onWrite?: OnWrite): Promise<Ownership> {
      const row = await conversations.existing({ organizationId: member.organizationId }, id);
      const { userId } = member;
      if (row.assigneeId !== userId) {
        await assignConversation(row, { userId, mayReplace: false }, async (trx, isAssigned) => {
          if (isAssigned) await onWrite?.(trx);
        });
        return checkOwner(member, id);
      }
      const owned = await checkOwner(member, id);
      if (onWrite) await inTransaction(db, onWrite);
      return owned;
    },
    /**
     * Assigns a conversation to any member or team, even if another member has it. With both, the member has it, and it
     * counts for the team.
     * @throws 400 for a member or team that does not exist
     */
    async assign(
      { organizationId, userId: assignedBy }: Member,
      id: string,
      { userId = null, teamId = null, onWrite }: Assignee & { onWrite?: OnWrite },
    ): Promise<Ownership> {
      if (userId === null && teamId === null) throw invalid("userId", "is required without `teamId`", "required");
      const row = await conversations.existing({ organizationId }, id);
      if (userId !== null && !(await areMembers(db, organizationId, [userId]))) {
        throw invalid("userId", "is not a member of this organization", "unknown_reference");
      }
      if (teamId !== null) await moveToTeam(row, teamId, userId === null ? onWrite : undefined);
      if (userId !== null) {
        await assignConversation(row, { userId, mayReplace: true, assignedBy }, async (trx) => onWrite?.(trx));
      }
      return readOwnership({ organizationId }, id);
    },
    /** Resolves the conversation. If a person has it or the visitor waits for one, that ends, too. */
    async resolve({ organizationId, userId }: Member, id: string, onWrite?: OnResolve): Promise<void> {
      await conversations.existing({ organizationId }, id);
      await inTransaction(db, async (trx) => {
        const by = { userId, isAutomatic: false };
        const isResolved = await log.resolve(trx, { organizationId, conversationId: id }, { by });
        await onWrite?.(trx, isResolved);
      });
    },
    /** @throws 409 while the visitor waits for a person */
    async snooze({ organizationId, userId }: Member, id: string, { until, onWrite }: Snooze): Promise<void> {
      await conversations.existing({ organizationId }, id);
      await inTransaction(db, async (trx) => {
        await onWrite?.(trx);
        if (await log.snooze(trx, { organizationId, conversationId: id }, { until, userId })) return;
        throw new AppError("CONFLICT", "The visitor is waiting for a person. Take the conversation over first.");
      });
    },
    /**
     * Returns the conversation to the agent, which receives the note.
     * @throws 409 if the conversation is no longer in `epoch` and the visitor is waiting or a member has it
     */
    returnToAgent: (member: Member, id: string, { note, ...options }: EndOptions & { note: string | null }) =>
      end(member, id, { ...options, endedBy: "member", note: note?.trim() || null }),
    /** Throws the same error as `returnToAgent`. */
    close: (member: Member, id: string, options: EndOptions = {}) =>
      end(member, id, { ...options, endedBy: "closed", note: null }),
    /**
     * Takes the conversation over, sends a message to the visitor, and runs the actions, all in one transaction.
     * @throws 400 when an action names something that does not exist, 409 when another member has the conversation, or
     * it is full
     */
    async send(
      member: Member,
      id: string,
      { content, endsDraft = false, attachments = { ids: [], uploaderId: "" }, actions = {}, keep }: Sent,
    ): Promise<Message> {
      const { organizationId, userId } = member;
      const row = await conversations.existing({ organizationId }, id);
      const { ids, uploaderId } = attachments;
      const attached = await uploads.resolveUploads({ organizationId, conversationId: id, uploaderId }, ids);
      const write = (trx: Transaction<Tables>) =>
        storeMessage(trx, { member, id, content, endsDraft, attached, actions, keep });
      const prepare = (trx: Transaction<Tables>) => parts.actions.prepare(trx, organizationId, actions);
      const sent =
        row.assigneeId === userId
          ? await inTransaction(db, async (trx) => {
              await prepare(trx);
              return write(trx);
            })
          : await assignConversation(row, { userId, mayReplace: false, prepare }, write);
      if (sent) return sent;
      await checkOwner(member, id);
      throw new AppError("CONFLICT", "Another member has just taken or returned this conversation. Try again.");
    },
  };
}

/** @returns a function that returns a conversation to the agent and ends its handoff */
function createHandoffEnder(
  { db }: Pick<Deps, "db">,
  parts: Pick<InboxParts, "conversations" | "log"> & { ownership(viewer: Viewer, id: string): Promise<Ownership> },
) {
  const { conversations, ownership, log } = parts;
  return async (
    member: Member,
    id: string,
    { onWrite, epoch = null, ...ending }: { endedBy: "member" | "closed"; note: string | null } & EndOptions,
  ): Promise<Ownership> => {
    const viewer = { organizationId: member.organizationId };
    await conversations.existing(viewer, id);
    const isEnded = await inTransaction(db, async (trx) => {
      await onWrite?.(trx);
      const conversation = { ...viewer, conversationId: id };
      const options = { ...ending, userId: member.userId, from: "waiting or human", epoch } as const;
      const isReturned = await log.returnToAgent(trx, conversation, options);
      const by = { userId: member.userId, isAutomatic: true };
      // Nothing is left to do in a conversation that was closed.
      if (isReturned && ending.endedBy === "closed") await log.resolve(trx, conversation, { by });
      return isReturned;
    });
    const current = await ownership(viewer, id);
    if (isEnded || epoch === null || current.handler === "agent") return current;
    if (current.handler === "waiting") throw new AppError("CONFLICT", "The visitor is waiting for a person again.");
    throw new AppError("CONFLICT", `${current.assignee?.name ?? "Another member"} has this conversation.`);
  };
}

type MessageToSend = {
  member: Member;
  id: string;
  content: string;
  endsDraft: boolean;
  attached: readonly AttachmentRow[];
  actions: ReplyActions;
  keep: SaveResponse | undefined;
};

/** @returns a function that stores a member's message, and resolves to null unless the member has the conversation */
function createMessageSender(log: Pick<ConversationLog, "appendMemberMessage">, runner: ReplyActionRunner) {
  return async (
    trx: Transaction<Tables>,
    { member, id, content, endsDraft, attached, actions, keep }: MessageToSend,
  ): Promise<Message | null> => {
    const { organizationId, userId, name } = member;
    const conversation = { organizationId, conversationId: id };
    const added = await log.appendMemberMessage(trx, conversation, { userId, name, content, attachments: attached });
    if (!added) return null;
    const created = toMessage({ ...added.message, attachments: attached }, true);
    await runner.run(trx, member, { conversationId: id, actions });
    if (endsDraft) await deleteDraft(trx, { ...conversation, userId }, "reply");
    await keep?.(trx, added.agentId, created);
    return created;
  };
}

import type { Message, Ownership } from "@foyer/contract";
import type { Transaction } from "kysely";
import { parseHandoff } from "../agents/handoff.ts";
import type { AgentService } from "../agents/service.ts";
import { areMembers } from "../auth/members/members.ts";
import type { RecordHandoff } from "../conversations/handoff-change.ts";
import { type ConversationService, toMessage } from "../conversations/service.ts";
import type { Viewer } from "../conversations/store.ts";
import type { Executor } from "../db/compiled-query.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../errors.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import type { HandoffCounters } from "./counters.ts";
import type { Give } from "./give.ts";
import type { HandoffRequests } from "./requests.ts";
import { addMessage, type Ending, returnToAgent, updateRequest } from "./store.ts";

/** The member who performs the action. */
export type Member = { organizationId: string; userId: string; name: string };

/**
 * Writes in the transaction of the action. This lets the caller recognize a command that it receives again after an
 * interruption. Without it, a repeated return could end the visitor's next request.
 */
type Alongside = (trx: Executor) => Promise<void>;

/** `epoch`: ends the member's part only in that epoch, so that a repeated call does not end a later request. */
type EndOptions = { alongside?: Alongside; epoch?: number | null };

export type InboxParts = {
  agents: AgentService;
  conversations: ConversationService;
  give: Give;
  requests: HandoffRequests;
  counters: HandoffCounters;
  record: RecordHandoff;
};

export type InboxService = ReturnType<typeof createInboxService>;

/** Hands conversations over to members of the team and back. */
export function createInboxService({ db }: Pick<Deps, "db">, parts: InboxParts) {
  const { agents, conversations, give, requests, counters, record } = parts;
  const sending = createSending({ counters, record });
  const end = createEnding({ db }, { conversations, ownership, record });

  async function ownership(viewer: Viewer, id: string): Promise<Ownership> {
    return conversations.ownershipOf(await conversations.existing(viewer, id), "organizationId" in viewer);
  }

  /** @throws 409 naming the member who has the conversation */
  async function checkOwner(member: Member, id: string): Promise<Ownership> {
    const found = await ownership({ organizationId: member.organizationId }, id);
    if (found.assignee?.userId === member.userId) return found;
    throw new AppError("CONFLICT", `${found.assignee?.name ?? "Another member"} has this conversation.`);
  }

  return {
    ownership,
    /** Requests a person, for the visitor or for an API key. @throws 409 when handoff is disabled for the agent */
    async request(viewer: Viewer, id: string, asked: { reason: string | null; email: string | null }) {
      const { organizationId, agentId } = await conversations.existing(viewer, id);
      const agent = await agents.getPublic(agentId);
      if (!parseHandoff(agent).isEnabled)
        throw new AppError("CONFLICT", "Handoff to people is disabled for this agent.");
      const conversation = { organizationId, conversationId: id };
      await inTransaction(db, async (trx) => {
        const isNew = await requests.request(trx, agent, { ...conversation, cause: "visitor", ...asked });
        if (!isNew) await updateRequest(trx, conversation, asked);
      });
      return ownership(viewer, id);
    },
    /** Stops waiting. @throws 409 when a member has the conversation */
    async cancel(viewer: Viewer, id: string): Promise<Ownership> {
      const { organizationId } = await conversations.existing(viewer, id);
      const conversation = { organizationId, conversationId: id };
      await inTransaction(db, async (trx) => {
        const ending = { endedBy: "visitor", endedById: null, note: null } as const;
        const changed = await returnToAgent(trx, conversation, { handoff: ending, from: "waiting", epoch: null });
        if (!changed) return;
        const { agentId, epoch, handoff } = changed;
        const wasAnnounced = handoff.announcedAt !== null;
        await record(trx, { ...conversation, agentId, epoch, kind: "cancelled", handoffId: handoff.id, wasAnnounced });
      });
      const now = await ownership(viewer, id);
      if (now.handler === "human")
        throw new AppError("CONFLICT", "A member of the team already has this conversation.");
      return now;
    },
    /** @throws 409 naming the member who has the conversation */
    async takeOver(member: Member, id: string, alongside?: Alongside): Promise<Ownership> {
      const row = await conversations.existing({ organizationId: member.organizationId }, id);
      const { userId } = member;
      if (row.assigneeId !== userId) {
        await give(row, { userId, mayReplace: false }, async (trx, isGiven) => {
          if (isGiven) await alongside?.(trx);
        });
        return checkOwner(member, id);
      }
      const owned = await checkOwner(member, id);
      await alongside?.(db);
      return owned;
    },
    /** Assigns a conversation to any member, even if another member has it. */
    async assign({ organizationId, userId: assignedBy }: Member, id: string, userId: string): Promise<Ownership> {
      const row = await conversations.existing({ organizationId }, id);
      if (!(await areMembers(db, organizationId, [userId]))) {
        throw invalid("userId", "is not a member of this organization", "unknown_reference");
      }
      await give(row, { userId, mayReplace: true, assignedBy }, async () => {});
      return ownership({ organizationId }, id);
    },
    /**
     * Returns the conversation to the agent, which receives the note.
     * @throws 409 naming the member who has the conversation when it has moved on from `epoch`
     */
    returnToAgent: (member: Member, id: string, { note, ...options }: EndOptions & { note: string | null }) =>
      end(member, id, { ...options, endedBy: "member", note: note?.trim() || null }),
    /** Throws the same error as `returnToAgent`. */
    close: (member: Member, id: string, options: EndOptions = {}) =>
      end(member, id, { ...options, endedBy: "closed", note: null }),
    /**
     * Takes the conversation over and sends a message to the visitor.
     * @throws 409 when another member has the conversation, or it is full
     */
    async send(member: Member, id: string, content: string, keep?: SaveResponse): Promise<Message> {
      const { organizationId, userId } = member;
      const row = await conversations.existing({ organizationId }, id);
      const write = (trx: Transaction<Tables>) => sending(trx, { member, id, content, keep });
      const sent =
        row.assigneeId === userId
          ? await inTransaction(db, write)
          : await give(row, { userId, mayReplace: false }, write);
      if (sent) return sent;
      await checkOwner(member, id);
      throw new AppError("CONFLICT", "Someone else has just taken or returned the conversation. Try again.");
    },
  };
}

/** @returns a function that gives a conversation back to the agent */
function createEnding(
  { db }: Pick<Deps, "db">,
  parts: Pick<InboxParts, "conversations" | "record"> & { ownership(viewer: Viewer, id: string): Promise<Ownership> },
) {
  const { conversations, ownership, record } = parts;
  return async (
    member: Member,
    id: string,
    { alongside, epoch = null, ...ending }: Pick<Ending["handoff"], "endedBy" | "note"> & EndOptions,
  ): Promise<Ownership> => {
    const viewer = { organizationId: member.organizationId };
    await conversations.existing(viewer, id);
    const isEnded = await inTransaction(db, async (trx) => {
      await alongside?.(trx);
      const conversation = { ...viewer, conversationId: id };
      const handoff = { ...ending, endedById: member.userId };
      const changed = await returnToAgent(trx, conversation, { handoff, from: "waiting or human", epoch });
      if (!changed) return false;
      const kind = ending.endedBy === "closed" ? "closed" : "returned";
      const place = { ...conversation, agentId: changed.agentId, epoch: changed.epoch };
      await record(trx, { ...place, kind, handoffId: changed.handoff.id, userId: member.userId });
      return true;
    });
    const now = await ownership(viewer, id);
    if (isEnded || epoch === null || now.handler === "agent") return now;
    if (now.handler === "waiting") throw new AppError("CONFLICT", "The visitor is waiting for a person again.");
    throw new AppError("CONFLICT", `${now.assignee?.name ?? "Another member"} has this conversation.`);
  };
}

type Sent = { member: Member; id: string; content: string; keep: SaveResponse | undefined };

/** @returns a function that stores a member's message, and resolves to null unless the member has the conversation */
function createSending({ counters, record }: Pick<InboxParts, "counters" | "record">) {
  return async (trx: Transaction<Tables>, { member, id, content, keep }: Sent): Promise<Message | null> => {
    const { organizationId, userId, name } = member;
    const conversation = { organizationId, conversationId: id };
    const added = await addMessage(trx, conversation, { userId, name, content });
    if (!added) return null;
    const { agentId, epoch, isTest, handoff, message, isFirst } = added;
    const place = { ...conversation, agentId, epoch, handoffId: handoff.id, userId };
    if (isFirst) {
      await counters.count(trx, handoff, { event: "answered", at: message.createdAt, isTest });
      await record(trx, { ...place, kind: "answered" });
    }
    await record(trx, { ...place, kind: "member_message", messageId: message.id });
    const answer = toMessage(message, true);
    await keep?.(trx, agentId, answer);
    return answer;
  };
}

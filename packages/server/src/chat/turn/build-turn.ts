import type { ChatRequest, MessagePage } from "@foyer/contract";
import { parseHandoff } from "../../agents/handoff.ts";
import { requireAllowed, requireAllowedType } from "../../conversations/attachments/allowed.ts";
import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { NewTurn, Visitor } from "../../conversations/log/turn.ts";
import { describeMessage } from "../../conversations/message-preview.ts";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { AgentRow, ConversationRow } from "../../db/tables.ts";
import { newId } from "../../ids.ts";
import type { Admitted } from "./admission.ts";
import type { Caller } from "./caller.ts";
import type { ChatBytes } from "./chat-bytes.ts";
import { requireConsent } from "./consent.ts";
import { toMessagePage } from "./message-page.ts";
import { createTitle, namesVisitor, newMessages } from "./new-messages.ts";
import { withoutUnknownLinks } from "./supplied-messages.ts";
import { visitContext } from "./visit-context.ts";

type TurnParts = {
  bytes: ChatBytes;
  /** the message of an enabled bubble trigger, or null */
  openingOf(agentId: string, triggerId: string): Promise<string | null>;
  /** the uploads that the request attaches; throws 404 for one that is not the visitor's */
  attachmentsOf: AttachmentService["resolve"];
};

/**
 * The origin of a turn besides its request. The keys have the form in which they are stored. `rolloutId`: the rollout
 * whose version the agent has, see versions/rollouts.ts.
 */
export type TurnOrigin = {
  caller: Caller;
  admitted: Admitted;
  startKey: string | null;
  messageKey: string | null;
  rolloutId: string | null;
};

/** The page of the newest message, and everything that the request stores, apart from the reply. */
type BuiltTurn = { page: MessagePage | null; turn: Omit<NewTurn, "replyId" | "model" | "agentVersion"> };

/**
 * @returns a function that checks a request and builds the data that it stores. It throws 403 when the visitor's
 * consent is missing, and 429 when too much text was sent today.
 */
export function createTurnBuilder({ bytes, openingOf, attachmentsOf }: TurnParts) {
  return async (
    agent: AgentRow,
    request: ChatRequest,
    { caller, admitted, startKey, messageKey, rolloutId }: TurnOrigin,
  ): Promise<BuiltTurn> => {
    const { conversation: existing, access, claimedBy, identity } = admitted;
    const page = toMessagePage(request, agent);
    const consent = requireConsent(agent, request, { existing, memberOf: caller.memberOf });
    // A conversation that is open to everyone has no token, so uploads to it cannot be its visitor's.
    const conversationId = existing && access !== "open" ? existing.id : null;
    const attachments = await attachmentsOf(agent, request, {
      conversationId,
      messageKey,
      isMember: access === "organization",
    });
    const added = attachments.filter(({ messageId, uploaderId }) => messageId === null && uploaderId === null);
    if (added.length > 0) requireAllowed(agent, existing);
    for (const row of added) requireAllowedType(agent, row);
    const isNew = existing === null;
    const messages = await loadMessages(agent, request, { isNew, page, messageKey, openingOf, attachments });
    await bytes.check(agent, messages, caller.ip);
    const turn = {
      conversation:
        existing ?? newConversation(agent, request, { ...identity, messages, consent, page, caller, rolloutId }),
      isNew,
      startKey,
      isSilentWhileWaiting: parseHandoff(agent).whileWaiting === "silent",
      mayReplaceReply: access !== "open",
      claimedBy,
      consent,
      messages,
      regenerate: request.regenerate === true,
    };
    return { page, turn };
  };
}

type MessageOrigin = {
  page: MessagePage | null;
  messageKey: string | null;
  attachments: readonly AttachmentRow[];
};

/**
 * The messages to append, the last of them with its page and key. A new conversation may start with the bubble that the
 * visitor answers.
 */
async function loadMessages(
  agent: AgentRow,
  request: ChatRequest,
  {
    isNew,
    page,
    messageKey,
    openingOf,
    attachments,
  }: Pick<NewTurn, "isNew"> & Pick<TurnParts, "openingOf"> & MessageOrigin,
): Promise<NewTurn["messages"]> {
  const sent = newMessages(request).map(({ role, content }) =>
    role === "user"
      ? { role, content, isSupplied: 0 as const, removedLinks: null }
      : { role, ...withoutUnknownLinks(content, agent), isSupplied: 1 as const },
  );
  const opening = isNew && request.triggerId ? await openingOf(agent.id, request.triggerId) : null;
  const own = { role: "assistant" as const, isSupplied: 0 as const, removedLinks: null };
  const bubble = opening === null ? [] : [{ ...own, content: opening }];
  const all = [...bubble, ...sent];
  return all.map((message, index) => {
    const isLast = index === all.length - 1;
    return {
      ...message,
      id: newId("msg"),
      page: page && isLast ? JSON.stringify(page) : null,
      messageKey: isLast ? messageKey : null,
      attachments: isLast ? attachments : [],
    };
  });
}

function newConversation(
  agent: AgentRow,
  request: ChatRequest,
  given: {
    visitor: Visitor;
    messages: NewTurn["messages"];
    consent: string | null;
    page: MessagePage | null;
    caller: Caller;
    rolloutId: string | null;
  },
): ConversationRow {
  const { visitor, messages, consent, page, caller, rolloutId } = given;
  const now = Date.now();
  return {
    id: newId("conv"),
    organizationId: agent.organizationId,
    agentId: agent.id,
    title: createTitle(messages.map((message) => ({ role: message.role, content: describeMessage(message) }))),
    messageCount: 0,
    sessionId: request.sessionId ?? null,
    ...visitor,
    hasOwner: namesVisitor(request) ? 1 : 0,
    isTest: caller.memberOf === agent.organizationId ? 1 : 0,
    linkVersion: 0,
    rolloutId,
    textBytes: 0,
    toolBytes: 0,
    context: visitContext(request.context, page, caller.visit),
    consent,
    handler: "agent",
    epoch: 0,
    assigneeId: null,
    status: "open",
    snoozedUntil: null,
    resolvedAt: null,
    waitingSince: null,
    changedAt: 0,
    teamId: null,
    lastMessageRole: null,
    lastMessagePreview: null,
    lastMessageAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

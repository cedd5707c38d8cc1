import type { EventAttachment, WebhookEventData } from "@foyer/contract";
import { type Change, type ChangeListener, type HandoffChange, isHandoffChange } from "../conversations/log/change.ts";
import type { EndedReply, NewTurn } from "../conversations/log/turn.ts";
import { type Piece, parsePieces } from "../conversations/message-pieces.ts";
import type { AttachmentRow } from "../db/tables/attachments.ts";
import { toEventText } from "./event-text.ts";
import type { NewEvent, RecordEvents } from "./record-events.ts";

/** @returns a listener that records the events about conversations, in the same transaction as the changes */
export function createConversationEvents(recordEvents: RecordEvents, linkTo: LinkTo): ChangeListener {
  return async (trx, changes) => {
    const events = changes.flatMap((change) => toEvents(change, linkTo));
    if (events.length > 0) await recordEvents(trx, events);
  };
}

type LinkTo = (row: AttachmentRow) => EventAttachment;

function toEvents(change: Change, linkTo: LinkTo): NewEvent[] {
  if (isHandoffChange(change)) return toHandoffEvent(change);
  switch (change.kind) {
    case "turn":
      return turnEvents(change.turn, linkTo);
    case "reply_ended":
      return [replyEvent(change.reply)];
    case "tokens_used":
      return toBudgetEvent(change);
    case "rated":
      return change.isReported ? [toRatingEvent(change)] : [];
    case "rating_reported":
      return [toRatingEvent(change)];
    case "conversation_rated":
      return [toConversationRatingEvent(change)];
    case "status":
      return [toStatusEvent(change)];
    case "erased":
    case "trashed":
    case "restored":
    case "read":
    case "target_due":
    case "rating_asked":
      return [];
  }
}

function toStatusEvent({ organizationId, agentId, conversationId, ...change }: StatusChange): NewEvent {
  const { status, snoozedUntil, userId: memberId, isAutomatic } = change;
  const until = snoozedUntil === null ? null : new Date(snoozedUntil).toISOString();
  const data = () => ({ status, snoozedUntil: until, memberId, isAutomatic });
  return { type: "conversation.status_changed", organizationId, agentId, conversationId, data };
}

type StatusChange = Extract<Change, { kind: "status" }>;
type Used = Extract<Change, { kind: "tokens_used" }>;
type Rated = Extract<Change, { kind: "rated" | "rating_reported" }>;

function toRatingEvent({ organizationId, agentId, conversationId, messageId, rating, comment }: Rated): NewEvent {
  const place = { organizationId, agentId, conversationId };
  return { ...place, type: "message.rated", data: () => ({ messageId, rating, comment }) };
}

function toConversationRatingEvent({ organizationId, agentId, conversationId, ...rated }: ConversationRated): NewEvent {
  const { score, comment, memberId, isCorrection } = rated;
  const data = () => ({ score, comment, memberId, isCorrection });
  return { type: "conversation.rated", organizationId, agentId, conversationId, data };
}

type ConversationRated = Extract<Change, { kind: "conversation_rated" }>;
type ReportedChange = Pick<
  WebhookEventData["conversation.handed_over"],
  "change" | "handler" | "assigneeId" | "memberId"
>;

function toHandoffEvent(change: HandoffChange): NewEvent[] {
  const reported = describeChange(change);
  if (!reported || !("handoff" in change)) return [];
  const { organizationId, agentId, conversationId, epoch } = change;
  const { cause, reason, summary, promisedAt } = change.handoff;
  const data = () => ({
    ...reported,
    epoch,
    cause,
    reason,
    summary,
    promisedAt: promisedAt === null ? null : new Date(promisedAt).toISOString(),
  });
  return [{ type: "conversation.handed_over", organizationId, agentId, conversationId, data }];
}

/** Describes the change for the event. @returns null if the handler stays the same */
function describeChange(change: HandoffChange): ReportedChange | null {
  switch (change.kind) {
    case "requested":
      // A repeated change only notifies the team of a delayed request. The visitor has been waiting since the first
      // change, which was reported.
      if (change.isRepeated) return null;
      return { change: "requested", handler: "waiting", assigneeId: null, memberId: null };
    case "taken": {
      const { userId, assignedBy } = change;
      return { change: "taken", handler: "human", assigneeId: userId, memberId: assignedBy ?? userId };
    }
    case "returned":
    case "closed":
      return { change: change.kind, handler: "agent", assigneeId: null, memberId: change.userId };
    case "cancelled":
      return { change: "cancelled", handler: "agent", assigneeId: null, memberId: null };
    default:
      return null;
  }
}

/** Creates the events about a visitor's turn for webhooks and the feed. */
function turnEvents({ conversation, isNew, messages }: NewTurn, linkTo: LinkTo): NewEvent[] {
  const { id: conversationId, organizationId, agentId } = conversation;
  const scope = { organizationId, agentId, conversationId };
  const { title, sessionId, userId, userEmail, userName, isUserVerified, isTest } = conversation;
  const started: NewEvent = {
    ...scope,
    type: "conversation.started",
    data: () => ({
      title,
      sessionId,
      userId,
      userEmail,
      userName,
      isUserVerified: isUserVerified === 1,
      isTest: isTest === 1,
    }),
  };
  const sent = messages
    .filter(({ role }) => role === "user")
    .map(
      ({ id: messageId, content, attachments }): NewEvent => ({
        ...scope,
        type: "message.created",
        data: () => ({
          messageId,
          ...toEventText(conversationId, content),
          ...(attachments.length > 0 ? { attachments: attachments.map(linkTo) } : {}),
        }),
      }),
    );
  return [...(isNew ? [started] : []), ...sent];
}

function replyEvent({ conversationId, end, failure, agent, startedAt }: EndedReply): NewEvent {
  const scope = { organizationId: agent.organizationId, agentId: agent.id, conversationId };
  const { id: messageId, content, stopReason, model, inputTokens, outputTokens } = end;
  const durationMs = end.now - startedAt;
  if (failure && failure.isAnswered === 0) {
    const { code, message } = failure;
    return {
      ...scope,
      type: "reply.failed",
      data: () => ({ messageId, ...toEventText(conversationId, content), code, message, model, durationMs }),
    };
  }
  return {
    ...scope,
    type: "reply.finished",
    data: () => ({
      messageId,
      ...toEventText(conversationId, content),
      toolCalls: parsePieces(end).flatMap(toToolCall),
      stopReason,
      model,
      inputTokens,
      outputTokens,
      durationMs,
    }),
  };
}

function toToolCall(piece: Piece) {
  if (piece.type !== "tool") return [];
  const { id, name, input, result } = piece;
  return [{ id, name, input, result: result?.forModel ?? null, isError: result?.isError ?? false }];
}

/** An agent's budget is reported once, when replies use it up. */
function toBudgetEvent({ organizationId, agentId, agent, month, tokens, added }: Used): NewEvent[] {
  const budget = agent.monthlyTokenBudget;
  if (budget === null || tokens < budget || tokens - added >= budget) return [];
  const data = () => ({ month, monthlyTokenBudget: budget, tokens });
  return [{ type: "agent.budget_reached", organizationId, agentId, conversationId: null, data }];
}

import { type Piece, parsePieces } from "../conversations/message-pieces.ts";
import { toEventText } from "../events/event-text.ts";
import type { NewEvent } from "../events/record-events.ts";
import type { MonthUsage } from "../plans/token-budget.ts";
import type { EndedReply, NewTurn } from "./reply-turn.ts";

/** Creates the events about a visitor's turn for webhooks and the feed. */
export function turnEvents({ conversation, isNew, messages }: NewTurn): NewEvent[] {
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
      ({ id: messageId, content }): NewEvent => ({
        ...scope,
        type: "message.created",
        data: () => ({ messageId, ...toEventText(conversationId, content) }),
      }),
    );
  return [...(isNew ? [started] : []), ...sent];
}

/**
 * Creates the events about replies that ended, and about agents whose budget these replies used up.
 * @param stored the ids of the replies whose conversations still exist; other replies only count towards the budget
 */
export function endEvents(
  ended: readonly EndedReply[],
  stored: ReadonlySet<string>,
  usage: readonly MonthUsage[],
): NewEvent[] {
  const budgets = new Map(ended.map(({ agent }) => [agent.id, agent]));
  const replies = ended.filter(({ end }) => stored.has(end.id)).map(replyEvent);
  return [...replies, ...usage.flatMap((month) => toBudgetEvent(month, budgets.get(month.agentId)))];
}

function replyEvent({ conversationId, end, failure, agent, model, startedAt }: EndedReply): NewEvent {
  const scope = { organizationId: agent.organizationId, agentId: agent.id, conversationId };
  const { id: messageId, content, stopReason, inputTokens, outputTokens } = end;
  const durationMs = end.now - startedAt;
  if (failure) {
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

function toBudgetEvent({ month, tokens, added }: MonthUsage, agent: EndedReply["agent"] | undefined): NewEvent[] {
  const budget = agent?.monthlyTokenBudget ?? null;
  if (!agent || budget === null || tokens < budget || tokens - added >= budget) return [];
  return [
    {
      type: "agent.budget_reached",
      organizationId: agent.organizationId,
      agentId: agent.id,
      conversationId: null,
      data: () => ({ month, monthlyTokenBudget: budget, tokens }),
    },
  ];
}

import type { Attachment, ReplySearch } from "@foyer/contract";
import {
  type ChatEvent,
  createReplyState,
  foldReply,
  type Message,
  type ReplyPart,
  type ReplyState,
  type TextPart,
  type ToolPart,
} from "@foyer/sdk";

export type PlaygroundTool = ToolPart & {
  startedAt: number;
  endedAt: number | null;
  /** whether only members receive the result */
  isHidden?: boolean;
};
type PlaygroundPart = TextPart | PlaygroundTool;

/** A message and its reply. Times are in milliseconds of the same clock. */
export type PlaygroundTurn = Omit<ReplyState, "parts"> & {
  key: number;
  said: string;
  attached: readonly Attachment[];
  parts: readonly PlaygroundPart[];
  state: "running" | "done" | "cut" | "stopped" | "failed";
  problem: string | null;
  isReconnecting: boolean;
  startedAt: number;
  firstWordAt: number | null;
  endedAt: number | null;
  tokens: number | null;
  /** what the reply read of the documents; empty until the reply is stored */
  searches: readonly ReplySearch[];
  /** hosts to which links were removed; empty until the reply is stored */
  removedLinks: NonNullable<Message["removedLinks"]>;
  /** null until the reply is stored */
  stored: Message | null;
};

/** @param said the message and what is attached to it */
export function createTurn(key: number, said: Pick<PlaygroundTurn, "said" | "attached">, now: number): PlaygroundTurn {
  return {
    ...createReplyState(),
    ...said,
    key,
    parts: [],
    state: "running",
    problem: null,
    isReconnecting: false,
    startedAt: now,
    firstWordAt: null,
    endedAt: null,
    tokens: null,
    searches: [],
    removedLinks: [],
    stored: null,
  };
}

/** Returns the turn with an event applied that arrived at `now`. An event also means that the connection works again. */
export function applyEvent(turn: PlaygroundTurn, event: ChatEvent, now: number): PlaygroundTurn {
  const reply = foldReply(turn, event);
  const parts = reply.parts.map((part, index) => withTimes(part, turn.parts[index], now));
  const next = { ...turn, ...reply, parts, isReconnecting: false };
  if (event.type === "content_block_delta") return { ...next, firstWordAt: turn.firstWordAt ?? now };
  if (event.type === "error") return { ...next, problem: event.error.message };
  if (event.type !== "message_stop") return next;
  const ends = {
    end_turn: "done",
    handed_over: "done",
    max_steps: "cut",
    max_tokens: "cut",
    content_filter: "cut",
    aborted: "stopped",
    error: "failed",
  } as const;
  const tokens = event.usage ? event.usage.inputTokens + event.usage.outputTokens : null;
  return { ...next, state: ends[event.stopReason], endedAt: now, tokens };
}

/** Adds to a tool call when it started and ended. */
function withTimes(part: ReplyPart, before: PlaygroundPart | undefined, now: number): PlaygroundPart {
  if (part.type === "text") return part;
  const times = before?.type === "tool" ? before : { startedAt: now, endedAt: null };
  const endedAt = part.state === "running" ? null : (times.endedAt ?? now);
  return { ...part, startedAt: times.startedAt, endedAt };
}

/**
 * Adds details that visitors do not receive: the provider's reason for a failure, complete tool results, the
 * searches, and removed links.
 */
export function withMemberDetails(turn: PlaygroundTurn, stored: Message): PlaygroundTurn {
  const { failure, toolCalls, searches = [], removedLinks = [] } = stored;
  const parts = turn.parts.map((part) => {
    if (part.type !== "tool" || part.result !== null || part.form) return part;
    return { ...part, result: toolCalls.find(({ id }) => id === part.id)?.forModel ?? null, isHidden: true };
  });
  if (!failure) return { ...turn, parts, searches, removedLinks, stored };
  const { provider, providerStatus, message } = failure;
  const status = providerStatus === null ? "" : ` answered ${providerStatus}`;
  return {
    ...turn,
    parts,
    searches,
    removedLinks,
    stored,
    problem: provider === null ? message : `${provider}${status}: ${message}`,
  };
}

/** The result that visitors received from the last tool call before this one, or null without such a call. */
export function findPreviousResult(turns: readonly PlaygroundTurn[], tool: PlaygroundTool): unknown {
  const tools = turns.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
  const before = tools.slice(0, tools.indexOf(tool)).findLast(({ state, form }) => state === "done" && !form);
  return before && !before.isHidden ? before.result : null;
}

/** Whether numbers in brackets can be citations. The sources arrive at the end, so a search counts as well. */
export function mayCite({ parts, sources }: Pick<PlaygroundTurn, "parts" | "sources">): boolean {
  return sources.length > 0 || parts.some((part) => part.type === "tool" && part.kind === "documents");
}

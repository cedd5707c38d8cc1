import type { ReplySearch, Source } from "@foyer/contract";
import type { ChatEvent, Display, Message, VisitorForm } from "@foyer/sdk";

export type PlaygroundTool = {
  type: "tool";
  id: string;
  name: string;
  /** Shown to visitors instead of the name. */
  label: string | null;
  kind: string | null;
  state: "running" | "done" | "failed";
  input: unknown;
  result: unknown;
  /** whether only members receive the result */
  isHidden?: boolean;
  display: Display | null;
  form: VisitorForm | null;
  startedAt: number;
  endedAt: number | null;
};
type PlaygroundPiece = { type: "text"; text: string } | PlaygroundTool;

/** A message and its reply. Times are in milliseconds of the same clock. */
export type PlaygroundTurn = {
  key: number;
  said: string;
  pieces: readonly (PlaygroundPiece | undefined)[];
  state: "running" | "done" | "cut" | "stopped" | "failed";
  problem: string | null;
  isReconnecting: boolean;
  startedAt: number;
  firstWordAt: number | null;
  endedAt: number | null;
  tokens: number | null;
  /** questions that the visitor may ask next */
  suggestions: readonly string[];
  /** the passages that the reply cites */
  sources: readonly Source[];
  /** what the reply read of the documents; empty until the reply is stored */
  searches: readonly ReplySearch[];
  /** hosts to which links were removed; empty until the reply is stored */
  removedLinks: NonNullable<Message["removedLinks"]>;
};

export function createTurn(key: number, said: string, now: number): PlaygroundTurn {
  return {
    key,
    said,
    pieces: [],
    state: "running",
    problem: null,
    isReconnecting: false,
    startedAt: now,
    firstWordAt: null,
    endedAt: null,
    tokens: null,
    suggestions: [],
    sources: [],
    searches: [],
    removedLinks: [],
  };
}

/** Returns the turn with an event applied that arrived at `now`. */
export function applyEvent(turn: PlaygroundTurn, event: ChatEvent, now: number): PlaygroundTurn {
  switch (event.type) {
    case "content_block_delta": {
      const piece = turn.pieces[event.index];
      const before = piece?.type === "text" ? piece.text : "";
      const next = withPiece(turn, event.index, { type: "text", text: before + event.delta.text });
      return { ...next, firstWordAt: turn.firstWordAt ?? now };
    }
    case "tool_use_start": {
      const { index, id, name, label = null, executionType: kind, input } = event;
      return withPiece(turn, index, {
        type: "tool",
        id,
        name,
        label,
        kind,
        input,
        state: "running",
        result: null,
        display: null,
        form: null,
        startedAt: now,
        endedAt: null,
      });
    }
    case "tool_result": {
      const tool = turn.pieces[event.index];
      if (tool?.type !== "tool") return turn;
      const { result, isError } = event;
      const display = event.display as Display | null;
      const form = (event.form ?? null) as VisitorForm | null;
      const state = isError ? "failed" : "done";
      return withPiece(turn, event.index, { ...tool, state, result, display, form, endedAt: now });
    }
    case "suggestions":
      return { ...turn, suggestions: event.suggestions };
    case "sources":
      return { ...turn, sources: event.sources };
    case "error":
      return { ...turn, problem: event.error.message };
    case "message_stop": {
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
      return { ...turn, state: ends[event.stopReason], isReconnecting: false, endedAt: now, tokens };
    }
    default:
      return { ...turn, isReconnecting: false };
  }
}

/**
 * Adds details that visitors do not receive: the provider's reason for a failure, complete tool results, the
 * searches, and removed links.
 */
export function withMemberDetails(
  turn: PlaygroundTurn,
  { failure, toolCalls, searches = [], removedLinks = [] }: Message,
): PlaygroundTurn {
  const pieces = turn.pieces.map((piece) => {
    if (piece?.type !== "tool" || piece.result !== null || piece.form) return piece;
    return { ...piece, result: toolCalls.find(({ id }) => id === piece.id)?.forModel ?? null, isHidden: true };
  });
  if (!failure) return { ...turn, pieces, searches, removedLinks };
  const { provider, providerStatus, message } = failure;
  const status = providerStatus === null ? "" : ` answered ${providerStatus}`;
  return {
    ...turn,
    pieces,
    searches,
    removedLinks,
    problem: provider === null ? message : `${provider}${status}: ${message}`,
  };
}

/** The result that visitors received from the last tool call before this one, or null without such a call. */
export function findPreviousResult(turns: readonly PlaygroundTurn[], tool: PlaygroundTool): unknown {
  const tools = turns.flatMap(({ pieces }) => pieces.filter((piece) => piece?.type === "tool"));
  const before = tools.slice(0, tools.indexOf(tool)).findLast(({ state, form }) => state === "done" && !form);
  return before && !before.isHidden ? before.result : null;
}

/** Whether numbers in brackets can be citations. The sources arrive at the end, so a search counts as well. */
export function mayCite({ pieces, sources }: Pick<PlaygroundTurn, "pieces" | "sources">): boolean {
  return sources.length > 0 || pieces.some((piece) => piece?.type === "tool" && piece.kind === "documents");
}

/** `under 1 ms`, `850 ms`, `1.4 s`, `12 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1) return "under 1 ms";
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/** Replaces a piece. Receiving a piece also means that the connection works again. */
function withPiece(turn: PlaygroundTurn, index: number, piece: PlaygroundPiece): PlaygroundTurn {
  const pieces = [...turn.pieces];
  pieces[index] = piece;
  return { ...turn, pieces, isReconnecting: false };
}

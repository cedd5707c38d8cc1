import type { Person } from "@foyer/contract";
import type { Conversation, Display, Message, Rating, Source, VisitorForm } from "@foyer/sdk";
import type { ToolQuestion } from "../tools/page-tools.ts";

/** A reply is a list of pieces, in the order in which they arrived. */
export type Piece = { type: "text"; text: string } | ToolPiece;

export type ToolPiece = {
  type: "tool";
  id: string;
  name: string;
  /** Shown to the visitor instead of the name. */
  label: string | null;
  /** `mock`, `http`, `form`, `client`, `documents` or `handoff`. Previews leave it out. */
  kind?: string | null;
  /** What the visitor has to allow before the page runs the tool. */
  question?: ToolQuestion | null;
  state: "running" | "done" | "failed";
  result: unknown;
  display: Display | null;
  form: VisitorForm | null;
};

export type UserEntry = {
  type: "user";
  key: string;
  /** The server's id, once the server has sent it. */
  id?: string;
  text: string;
  state: "sent" | "unsent";
  at: number;
};

export type ReplyEntry = {
  type: "reply";
  key: string;
  /** The server's id, or null until the reply has started. */
  id: string | null;
  /** The member of the team who wrote it. Without one, the agent did. */
  person?: Person | null;
  pieces: readonly Piece[];
  /** The passages of documents that the reply cites. */
  sources: readonly Source[];
  /** Follow-up questions, shown under the last reply. */
  suggestions: readonly string[];
  /** `running` becomes one of the others. A `lost` reply continues on the server and can be resumed. */
  state: "running" | "done" | "stopped" | "cut" | "failed" | "lost" | "refused";
  isReconnecting: boolean;
  /** Why it failed, in the visitor's language. */
  problem: string | null;
  rating: Rating | null;
  /** Ask for a comment: the visitor has just rated the reply as bad. */
  isCommentWanted?: boolean;
  /** When it started, in milliseconds since 1970. */
  at: number;
  /** The key of the visitor's message that the server did not accept. Without one, a retry asks for another reply. */
  unsentKey?: string | undefined;
  /** The conversation is full: the visitor has to start a new one. */
  isFull?: boolean;
  /** It failed for a reason that trying again does not remove. */
  isLasting?: boolean;
  /** Set when a bubble's text opens the conversation. The server reads the text from the trigger. */
  triggerId?: string;
};

/** A form that a trigger or the page shows outside of any reply. `form` is null while it loads and after an error. */
export type FormEntry = { type: "form"; key: string; wanted: string; form: VisitorForm | null; problem: string | null };

/** An entry of the conversation. Entries are immutable: a change replaces the object. */
export type Entry = UserEntry | ReplyEntry | FormEntry;

export function createReply(key: string): ReplyEntry {
  return {
    type: "reply",
    key,
    id: null,
    pieces: [],
    sources: [],
    suggestions: [],
    state: "running",
    isReconnecting: false,
    problem: null,
    rating: null,
    at: Date.now(),
  } as ReplyEntry;
}

/** The text of a reply as Markdown, without its tool calls. */
export function joinText({ pieces }: ReplyEntry): string {
  return pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n\n");
}

/** Whether a finished reply of the agent would show nothing. A search that is over shows nothing either. */
export function isBlank({ pieces, person, state }: Pick<ReplyEntry, "pieces" | "person" | "state">): boolean {
  const isNothing = (piece: Piece) => (piece.type === "text" ? piece.text.trim() === "" : piece.kind === "documents");
  return state === "done" && !person && pieces.every(isNothing);
}

/**
 * Whether numbers in brackets can be citations. When a few short documents are part of the prompt, nothing is searched,
 * and only the sources at the end show that there are documents.
 */
export function mayCite({ pieces, sources }: Pick<ReplyEntry, "pieces" | "sources">): boolean {
  return sources.length > 0 || pieces.some((piece) => piece.type === "tool" && piece.kind === "documents");
}

/**
 * The entries of a stored conversation, oldest first. A running reply is left out, because it is streamed from its
 * start.
 */
export function toEntries({ messages }: Pick<Conversation, "messages">): Entry[] {
  return messages.flatMap((message): Entry[] => {
    const { id, author, stopReason } = message;
    const at = Date.parse(message.createdAt);
    if (message.role === "user") return [{ type: "user", key: id, id, text: message.content, state: "sent", at }];
    const { person } = author;
    if (stopReason === null && !person) return [];
    const reply: ReplyEntry = {
      ...createReply(id),
      id,
      person,
      pieces: toPieces(message),
      sources: message.sources,
      suggestions: message.suggestions,
      state: toReplyState(stopReason),
      rating: message.feedback,
      at,
    };
    return [stopReason !== "handed_over" && isBlank(reply) ? { ...reply, state: "failed" } : reply];
  });
}

/** How a reply ended. A person's message, and a reply that ended because a person took over, need no label. */
export function toReplyState(stopReason: Message["stopReason"]): ReplyEntry["state"] {
  const states = {
    max_steps: "cut",
    max_tokens: "cut",
    content_filter: "cut",
    aborted: "stopped",
    error: "failed",
  } as const;
  return states[stopReason as keyof typeof states] ?? "done";
}

/** Whether the last reply of a stored conversation is still running. */
export function isRunning({ messages }: Conversation): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.stopReason === null;
}

/** Puts each tool call at the position in the text where it was made. */
function toPieces({ content, toolCalls }: Message): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const pushTextUpTo = (end: number) => {
    if (end > at) pieces.push({ type: "text", text: content.slice(at, end) });
    at = Math.max(at, end);
  };
  for (const { id, name, label = null, executionType: kind, isError, result, display, form, textBefore } of toolCalls) {
    pushTextUpTo(textBefore);
    const state = isError ? "failed" : "done";
    pieces.push({ type: "tool", id, name, label, kind, state, result, display: display as Display | null, form });
  }
  pushTextUpTo(content.length);
  return pieces;
}

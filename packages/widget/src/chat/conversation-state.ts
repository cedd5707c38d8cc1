import type { Conversation, Display, Message, Rating, Source, VisitorForm } from "@foyer/sdk";

/** A reply is a row of these, in the order in which they came. */
export type Piece = { type: "text"; text: string } | ToolPiece;

export type ToolPiece = {
  type: "tool";
  id: string;
  name: string;
  /** What the visitor reads instead of the name. */
  label: string | null;
  /** `mock`, `http`, `form` or `documents`. Previews leave it out. */
  kind?: string | null;
  state: "running" | "done" | "failed";
  result: unknown;
  display: Display | null;
  form: VisitorForm | null;
};

export type UserEntry = { type: "user"; key: string; text: string; state: "sent" | "unsent"; at: number };

export type ReplyEntry = {
  type: "reply";
  key: string;
  /** The server's id; null until it has begun. */
  id: string | null;
  pieces: readonly Piece[];
  /** The passages of documents that the reply cites. */
  sources: readonly Source[];
  /** `running` ends as one of the others; `lost` can be taken up again where it is. */
  state: "running" | "done" | "stopped" | "cut" | "failed" | "lost" | "refused";
  isReconnecting: boolean;
  /** Why it failed, in the visitor's words. */
  problem: string | null;
  rating: Rating | null;
  /** Ask for a comment: the visitor has just rated the reply as bad. */
  isCommentWanted?: boolean;
  /** when it started, milliseconds since 1970 */
  at: number;
  /** The conversation is full: the visitor has to start a new one. */
  isFull?: boolean;
  /** A bubble's text that opens a conversation; the server takes it from the trigger. */
  triggerId?: string;
};

/** A form that a trigger or the page shows, outside of any reply. Without one it is on its way, or there is a problem. */
export type FormEntry = { type: "form"; key: string; wanted: string; form: VisitorForm | null; problem: string | null };

/** What stands in the conversation, oldest first. Each is replaced by another object when it changes. */
export type Entry = UserEntry | ReplyEntry | FormEntry;

export function newReply(key: string): ReplyEntry {
  return {
    type: "reply",
    key,
    id: null,
    pieces: [],
    sources: [],
    state: "running",
    isReconnecting: false,
    problem: null,
    rating: null,
    at: Date.now(),
  } as ReplyEntry;
}

/** All that was said in a reply, as it was written. */
export function textOf({ pieces }: ReplyEntry): string {
  return pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n\n");
}

/** A stored conversation as it is shown. A reply that still runs is left out: it is followed from its beginning. */
export function toEntries({ messages }: Conversation): Entry[] {
  return messages.flatMap((message): Entry[] => {
    const at = Date.parse(message.createdAt);
    if (message.role === "user") return [{ type: "user", key: message.id, text: message.content, state: "sent", at }];
    if (message.stopReason === null) return [];
    const state = ({ end_turn: "done", max_steps: "cut", aborted: "stopped", error: "failed" } as const)[
      message.stopReason
    ];
    return [
      {
        ...newReply(message.id),
        id: message.id,
        pieces: toPieces(message),
        sources: message.sources,
        state,
        rating: message.feedback,
        at,
      },
    ];
  });
}

/** Whether the last reply of a stored conversation goes on somewhere. */
export function isRunning({ messages }: Conversation): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.stopReason === null;
}

/** The calls stand in the text where they were made. */
function toPieces({ content, toolCalls }: Message): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const sayUpTo = (end: number) => {
    if (end > at) pieces.push({ type: "text", text: content.slice(at, end) });
    at = Math.max(at, end);
  };
  for (const { id, name, label = null, executionType: kind, isError, result, display, form, textBefore } of toolCalls) {
    sayUpTo(textBefore);
    const state = isError ? "failed" : "done";
    pieces.push({ type: "tool", id, name, label, kind, state, result, display: display as Display | null, form });
  }
  sayUpTo(content.length);
  return pieces;
}

import type { Attachment, Person } from "@foyer/contract";
import {
  type Conversation,
  createReplyState,
  type ToolPart as FoldedTool,
  type Message,
  type Rating,
  type ReplyState,
  type TextPart,
  toParts,
  type VisitorForm,
} from "@foyer/sdk";
import type { ToolQuestion } from "../tools/page-tools.ts";

export type ToolPart = FoldedTool & {
  /** What the visitor has to allow before the page runs the tool. */
  question?: ToolQuestion | null;
};

/** A text or a tool call of a reply. */
export type Part = TextPart | ToolPart;

export type UserEntry = {
  type: "user";
  key: string;
  /** The server's id, once the server has sent it. */
  id?: string;
  text: string;
  /** The pictures and files that the visitor attached. */
  attachments?: readonly Attachment[];
  state: "sent" | "unsent";
  at: number;
};

export type ReplyEntry = Omit<ReplyState, "parts"> & {
  type: "reply";
  key: string;
  parts: readonly Part[];
  /** The pictures and files that a member of the team attached. */
  attachments?: readonly Attachment[];
  /** The member of the team who wrote it. Without one, the agent did. */
  person?: Person | null;
  /** `running` becomes one of the others. A `lost` reply continues on the server and can be resumed. */
  state: "running" | "done" | "stopped" | "cut" | "failed" | "lost" | "refused";
  /** What a running reply waits for: another connection, or a model that thinks. */
  notice?: string | undefined;
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
    ...createReplyState(),
    type: "reply",
    key,
    state: "running",
    problem: null,
    rating: null,
    at: Date.now(),
  };
}

/** The text of a reply as Markdown, without its tool calls. */
export function joinText({ parts }: ReplyEntry): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

/** Whether a finished reply of the agent would show nothing. A search that is over shows nothing either. */
export function isBlank({ parts, person, state }: Pick<ReplyEntry, "parts" | "person" | "state">): boolean {
  const isNothing = (part: Part) => (part.type === "text" ? part.text.trim() === "" : part.kind === "documents");
  return state === "done" && !person && parts.every(isNothing);
}

/**
 * Whether numbers in brackets can be citations. When a few short documents are part of the prompt, nothing is searched,
 * and only the sources at the end show that there are documents.
 */
export function mayCite({ parts, sources }: Pick<ReplyEntry, "parts" | "sources">): boolean {
  return sources.length > 0 || parts.some((part) => part.type === "tool" && part.kind === "documents");
}

/**
 * The entries of a stored conversation, oldest first. A running reply is left out, because it is streamed from its
 * start.
 */
export function toEntries({ messages }: Pick<Conversation, "messages">): Entry[] {
  return messages.flatMap((message): Entry[] => {
    const { id, author, stopReason, attachments } = message;
    const at = Date.parse(message.createdAt);
    if (message.role === "user")
      return [{ type: "user", key: id, id, text: message.content, attachments, state: "sent", at }];
    const { person } = author;
    if (stopReason === null && !person) return [];
    const reply: ReplyEntry = {
      ...createReply(id),
      id,
      person,
      parts: toParts(message),
      attachments,
      notices: message.notices,
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

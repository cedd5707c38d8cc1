import type { ChatEvent, Display, Message, ReplyNotice, Source, StopReason, Usage, VisitorForm } from "@foyer/contract";

export type TextPart = { type: "text"; text: string };

export type ToolPart = {
  type: "tool";
  id: string;
  name: string;
  /** Shown to visitors instead of the name. */
  label: string | null;
  /** `mock`, `http`, `form`, `client`, `documents` or `handoff`. Unknown if the stream began after the call. */
  kind: string | null;
  state: "running" | "done" | "failed";
  input: unknown;
  result: unknown;
  display: Display | null;
  form: VisitorForm | null;
};

/** A text or a tool call of a reply. */
export type ReplyPart = TextPart | ToolPart;

/** What the events of a stream have told about a reply so far. */
export type ReplyState = {
  /** The server's id, or null until the reply has started. */
  id: string | null;
  /** The texts and tool calls, in order. */
  parts: readonly ReplyPart[];
  /** The passages of documents that the reply cites. */
  sources: readonly Source[];
  /** Questions that the visitor may ask next. */
  suggestions: readonly string[];
  /** What the visitor should know about the reply, such as that the model cannot see a picture. */
  notices: readonly ReplyNotice[];
  error: Extract<ChatEvent, { type: "error" }>["error"] | null;
  /** Null while the reply is running. */
  stopReason: StopReason | null;
  usage: Usage | null;
};

/** A reply of which no event has arrived. */
export function createReplyState(): ReplyState {
  return { id: null, parts: [], sources: [], suggestions: [], notices: [], error: null, stopReason: null, usage: null };
}

/**
 * Returns the state with one event of the stream applied. States are immutable, so a view can compare them. An event
 * that changes nothing returns the same object.
 */
export function foldReply(state: ReplyState, event: ChatEvent): ReplyState {
  switch (event.type) {
    case "message_start":
      // A reconnected stream that begins again repeats the whole reply.
      return { ...createReplyState(), id: event.messageId };
    case "content_block_start":
      return withPart(state, event.index, { type: "text", text: "" });
    case "content_block_delta": {
      const part = state.parts[event.index];
      const text = part?.type === "text" ? part.text : "";
      return withPart(state, event.index, { type: "text", text: text + event.delta.text });
    }
    case "tool_use_start": {
      const { index, id, name, label = null, executionType: kind, input } = event;
      const rest = { state: "running", result: null, display: null, form: null } as const;
      return withPart(state, index, { type: "tool", id, name, label, kind, input, ...rest });
    }
    case "tool_result": {
      const { index, toolUseId: id, name, isError, result } = event;
      const started = state.parts[index];
      const { label = null, kind = null, input = null } = started?.type === "tool" ? started : {};
      const display = event.display as Display | null;
      const form = (event.form ?? null) as VisitorForm | null;
      const end = isError ? "failed" : "done";
      return withPart(state, index, { type: "tool", id, name, label, kind, state: end, input, result, display, form });
    }
    case "sources":
      return { ...state, sources: event.sources };
    case "notice":
      return { ...state, notices: [...state.notices, { code: event.code }] };
    case "suggestions":
      return { ...state, suggestions: event.suggestions };
    case "error":
      return { ...state, error: event.error };
    case "message_stop":
      return { ...state, stopReason: event.stopReason, usage: event.usage ?? null };
    default:
      return state;
  }
}

function withPart(state: ReplyState, index: number, part: ReplyPart): ReplyState {
  const parts = [...state.parts];
  parts[index] = part;
  return { ...state, parts };
}

/**
 * The texts and tool calls of a stored message, each call at the position in the text where it was made. Texts without a
 * call between them are one part, even if the stream had a part for each.
 */
export function toParts({ content, toolCalls }: Pick<Message, "content" | "toolCalls">): ReplyPart[] {
  const parts: ReplyPart[] = [];
  let at = 0;
  const pushTextUpTo = (end: number) => {
    if (end > at) parts.push({ type: "text", text: content.slice(at, end) });
    at = Math.max(at, end);
  };
  for (const call of toolCalls) {
    pushTextUpTo(call.textBefore);
    const { id, name, label = null, executionType: kind, isError, input, result, form } = call;
    const display = call.display as Display | null;
    parts.push({
      type: "tool",
      id,
      name,
      label,
      kind,
      state: isError ? "failed" : "done",
      input,
      result,
      display,
      form,
    });
  }
  pushTextUpTo(content.length);
  return parts;
}

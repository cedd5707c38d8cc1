import { type ChatEvent, foldReply } from "@foyer/sdk";
import type { Messages } from "../locales/en.ts";
import type { ToolQuestion } from "../tools/page-tools.ts";
import { createReply, type ReplyEntry, toReplyState } from "./conversation-state.ts";
import { isLasting } from "./error-messages.ts";

/** Returns the reply with one stream event applied. An event ends what the visitor waited for. */
export function applyEvent(reply: ReplyEntry, event: ChatEvent, messages: Messages): ReplyEntry {
  // A second start belongs to another reply, so everything about the first one is discarded.
  const before = event.type === "message_start" ? createReply(reply.key) : reply;
  const next = { ...before, ...foldReply(before, event), notice: undefined };
  if (event.type === "error") {
    return isLasting(event.error.code)
      ? { ...next, problem: messages.cannotAnswer, isLasting: true }
      : { ...next, problem: messages.replyFailed };
  }
  return event.type === "message_stop" ? { ...next, state: toReplyState(event.stopReason) } : next;
}

/** Shows a question at the tool call that waits for it, or with null removes it. */
export function withQuestion(reply: ReplyEntry, callId: string, question: ToolQuestion | null): ReplyEntry {
  const parts = reply.parts.map((part) =>
    part.type === "tool" && part.id === callId && part.state === "running" ? { ...part, question } : part,
  );
  return { ...reply, parts };
}

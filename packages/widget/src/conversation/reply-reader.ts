import type { Ownership } from "@foyer/contract";
import { type ChatEvent, type ConversationKey, FoyerError, stopChat } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import { interpolate } from "../locales/load-messages.ts";
import { toPlainText } from "../markdown/plain-text.ts";
import { applyEvent } from "./apply-event.ts";
import type { ChatEntries, ChatState } from "./chat-entries.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import { createReply, isBlank, joinText } from "./conversation-state.ts";
import { errorMessageFor, isLasting } from "./error-messages.ts";
import { createReplyTools } from "./reply-tools.ts";
import type { UnsentMessages } from "./unsent-messages.ts";

type Running = { key: string; abort: AbortController; conversation: ConversationKey | null; isStopping: boolean };

/**
 * A stream to read. `open` starts it, `userKey` is the entry of the message that it answers, and `title` names a new
 * conversation.
 */
export type Reading = {
  conversation: ConversationKey | null;
  open: (options: { signal: AbortSignal; onReconnect: () => void; onThinking: () => void }) => AsyncIterable<ChatEvent>;
  userKey?: string;
  title?: string;
  /** The server has not accepted the message. @returns whether the failure is not shown */
  onRefused?: ((error: unknown) => boolean) | undefined;
};

export type ReplyReader = ReturnType<typeof createReplyReader>;

/** Assumed until the conversation's live events report who handles it. */
const HANDED_OVER: Ownership = { handler: "waiting", epoch: 0, assignee: null, handoff: null };

/** Whether messages go to the team and the agent does not reply. */
export const isSilent = ({ ownership }: ChatState, { agent }: Pick<WidgetCore, "agent">): boolean =>
  ownership?.handler === "human" || (ownership?.handler === "waiting" && agent.handoff?.whileWaiting === "silent");

/** Reads one reply at a time and shows it as it arrives, until it finishes, fails or is stopped. */
export function createReplyReader(
  { core, request, messages }: ConversationDeps,
  { store, patch, setState, editReply, replyOf, add, remove, newKey }: ChatEntries,
  unsent: UnsentMessages,
) {
  const { visitor, bus, agent } = core;
  const runTools = createReplyTools(core, request, { patch, editReply });
  let running: Running | null = null;
  let reading = Promise.resolve();

  async function read({ conversation, open, userKey, title = "", onRefused }: Reading): Promise<void> {
    const key = newKey();
    const own: Running = { key, abort: new AbortController(), conversation, isStopping: false };
    running = own;
    const show = () => {
      if (replyOf(key)) return;
      add(createReply(key));
      patch({ running: key, announcement: interpolate(messages.replying, { name: agent.name }) });
    };
    // A person answers in their own time, so nothing indicates that a reply is coming.
    if (!isSilent(store.get(), core)) show();
    const tools = runTools(own);
    const showNotice = (notice: string) => () => editReply(key, (reply) => ({ ...reply, notice }));
    const onReconnect = showNotice(messages.reconnecting);
    const onThinking = showNotice(messages.thinking);
    try {
      for await (const event of open({ signal: own.abort.signal, onReconnect, onThinking })) {
        if (running !== own) return;
        show();
        if (event.type === "message_start") {
          unsent.remove(userKey);
          begin(own, event, title);
        }
        editReply(key, (reply) => applyEvent(reply, event, messages));
        tools.see(event, own.conversation);
        if (event.type === "message_stop" && event.stopReason === "handed_over") handOver(own);
      }
      if (running === own) end(own);
    } catch (error) {
      if (running !== own) return;
      show();
      running = null;
      const problem = errorMessageFor(error, messages);
      const state = replyOf(key)?.id ? "lost" : "refused";
      if (state === "refused" && onRefused?.(error)) {
        remove(key);
        // The message may be on its way in a new conversation.
        if (!running) patch({ running: null });
        return;
      }
      const unsentKey = state === "refused" ? userKey : undefined;
      setState(unsentKey, "unsent");
      const code = error instanceof FoyerError ? error.code : "";
      const reason = { problem, isFull: code === "CONVERSATION_TOO_LONG", isLasting: isLasting(code) };
      editReply(key, (reply) => ({ ...reply, state, ...reason, unsentKey }));
      patch({ running: null, announcement: problem });
    } finally {
      tools.stopListening();
    }
  }

  function begin(own: Running, event: Extract<ChatEvent, { type: "message_start" }>, title: string) {
    const known = visitor.conversations.find(({ id }) => id === event.conversationId);
    const token = event.conversationToken ?? own.conversation?.token;
    if (!token) return;
    own.conversation = { id: event.conversationId, token };
    visitor.remember({ title, ...known, ...own.conversation, at: Date.now() });
    if (own.isStopping) stopChat(request, own.conversation).catch(() => {});
  }

  /** A person has taken over, so the agent's reply ends here. */
  function handOver({ key }: Running) {
    if (replyOf(key)?.parts.length === 0) remove(key);
    if ((store.get().ownership?.handler ?? "agent") === "agent") patch({ ownership: HANDED_OVER });
  }

  function end({ key, conversation }: Running) {
    running = null;
    const received = replyOf(key);
    if (!received) return patch({ running: null, announcement: "" });
    const reply = isBlank(received) && !received.problem ? { ...received, problem: messages.replyFailed } : received;
    editReply(key, () => reply);
    const text = joinText(reply);
    const note = reply.state === "stopped" ? messages.stopped : (reply.problem ?? "");
    const offered = reply.suggestions.length ? `${messages.suggestions}: ${reply.suggestions.join(" ")}` : "";
    patch({ running: null, announcement: `${agent.name}: ${toPlainText(text)} ${note} ${offered}`.trim() });
    bus.emit("message", { role: "assistant", text, conversationId: conversation?.id ?? null });
  }

  return {
    /** Adds a reply and reads it. Resolves when it has ended. */
    read: (next: Reading): Promise<void> => (reading = read(next)),
    isReading: () => running !== null,
    /** Resolves when the reply that is being read has ended. */
    done: () => reading,
    /** Stops reading. The reply continues on the server unless `ended` is set, which stops it there too. */
    leave({ ended = false } = {}): void {
      const left = running;
      running = null;
      left?.abort.abort();
      if (ended && left?.conversation) stopChat(request, left.conversation).catch(() => {});
    },
    /** Stops the reply. One that has not started yet is stopped as soon as it starts. */
    async stop(): Promise<void> {
      if (!running) return;
      running.isStopping = true;
      const { conversation, key } = running;
      if (!conversation || !replyOf(key)?.id) return;
      await stopChat(request, conversation).catch((error) => patch({ announcement: errorMessageFor(error, messages) }));
    },
  };
}

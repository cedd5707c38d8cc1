import { type ChatEvent, type ConversationKey, FoyerError, type Request, stopChat } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Words } from "../locales/en.ts";
import { interpolate } from "../locales/load-messages.ts";
import { applyEvent } from "./apply-event.ts";
import type { ChatEntries } from "./chat-entries.ts";
import { textOf } from "./conversation-state.ts";
import { problemWords } from "./error-messages.ts";

type Running = { key: string; abort: AbortController; conversation: ConversationKey | null; isStopping: boolean };

/** What is to be read: `open` begins the stream, `userKey` is the message that it answers, `title` the conversation's. */
export type Reading = {
  key: string;
  conversation: ConversationKey | null;
  open: (options: { signal: AbortSignal; onReconnect: () => void }) => AsyncIterable<ChatEvent>;
  userKey?: string;
  title?: string;
};

export type ReplyReader = ReturnType<typeof createReplyReader>;

/** Reads the one reply that comes in, and shows it as it comes, up to its end, whatever that is. */
export function createReplyReader(
  { visit, bus, agent }: WidgetCore,
  request: Request,
  words: Words,
  { patch, edit, editReply, replyOf }: ChatEntries,
) {
  let running: Running | null = null;

  async function read({ key, conversation, open, userKey, title = "" }: Reading): Promise<void> {
    const own: Running = { key, abort: new AbortController(), conversation, isStopping: false };
    running = own;
    patch({ running: key, announcement: interpolate(words.replying, { name: agent.name }) });
    const onReconnect = () => editReply(key, (reply) => ({ ...reply, isReconnecting: true }));
    try {
      for await (const event of open({ signal: own.abort.signal, onReconnect })) {
        if (running !== own) return;
        if (event.type === "message_start") begin(own, event, title);
        editReply(key, (reply) => applyEvent(reply, event, words.replyFailed));
      }
      if (running === own) end(own);
    } catch (error) {
      if (running !== own) return;
      running = null;
      const problem = problemWords(error, words);
      const state = replyOf(key)?.id ? "lost" : "refused";
      if (userKey && state === "refused")
        edit(userKey, (entry) => (entry.type === "user" ? { ...entry, state: "unsent" } : entry));
      const isFull = error instanceof FoyerError && error.code === "CONVERSATION_TOO_LONG";
      editReply(key, (reply) => ({ ...reply, state, isReconnecting: false, problem, isFull }));
      patch({ running: null, announcement: problem });
    }
  }

  function begin(own: Running, event: Extract<ChatEvent, { type: "message_start" }>, title: string) {
    const known = visit.conversations.find(({ id }) => id === event.conversationId);
    const token = event.conversationToken ?? own.conversation?.token;
    if (!token) return;
    own.conversation = { id: event.conversationId, token };
    visit.remember({ ...own.conversation, title: known?.title ?? title, at: Date.now() });
    if (own.isStopping) stopChat(request, own.conversation).catch(() => {});
  }

  function end({ key, conversation }: Running) {
    running = null;
    const reply = replyOf(key);
    const text = reply ? textOf(reply) : "";
    const note = reply?.state === "stopped" ? words.stopped : (reply?.problem ?? "");
    patch({ running: null, announcement: `${agent.name}: ${text} ${note}`.trim() });
    bus.emit("message", { role: "assistant", text, conversationId: conversation?.id ?? null });
  }

  return {
    read,
    isReading: () => running !== null,
    /** Leaves the stream; the reply goes on at the server, unless it is `ended` there too. */
    leave({ ended = false } = {}): void {
      const left = running;
      running = null;
      left?.abort.abort();
      if (ended && left?.conversation) stopChat(request, left.conversation).catch(() => {});
    },
    /** What has not begun yet is stopped as soon as it begins. */
    async stop(): Promise<void> {
      if (!running) return;
      running.isStopping = true;
      const { conversation, key } = running;
      if (!conversation || !replyOf(key)?.id) return;
      await stopChat(request, conversation).catch((error) => patch({ announcement: problemWords(error, words) }));
    },
  };
}

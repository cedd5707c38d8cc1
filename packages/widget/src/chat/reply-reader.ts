import { type ChatEvent, type ConversationKey, FoyerError, type Request, stopChat } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Messages } from "../locales/en.ts";
import { interpolate } from "../locales/load-messages.ts";
import { applyEvent, withQuestion } from "./apply-event.ts";
import type { ChatEntries } from "./chat-entries.ts";
import { textOf } from "./conversation-state.ts";
import { errorMessageFor } from "./error-messages.ts";

type Running = { key: string; abort: AbortController; conversation: ConversationKey | null; isStopping: boolean };

/**
 * A stream to read. `open` starts it, `userKey` is the entry of the message it answers, and `title` names a new
 * conversation.
 */
export type Reading = {
  key: string;
  conversation: ConversationKey | null;
  open: (options: { signal: AbortSignal; onReconnect: () => void }) => AsyncIterable<ChatEvent>;
  userKey?: string;
  title?: string;
};

export type ReplyReader = ReturnType<typeof createReplyReader>;

/** Reads one reply at a time and shows it as it arrives, until it finishes, fails or is stopped. */
export function createReplyReader(
  core: WidgetCore,
  request: Request,
  messages: Messages,
  { patch, edit, editReply, replyOf }: ChatEntries,
) {
  const { visitor, bus, agent, registry } = core;
  let running: Running | null = null;

  /** Runs the tools of the page that the reply calls. Pages without tools do not load their code. */
  function pageTools({ key, abort }: Running) {
    const load = async () => {
      const { createPageTools } = await core.loadTools();
      return createPageTools(request, registry, (callId, question) => {
        editReply(key, (reply) => withQuestion(reply, callId, question));
        if (question) patch({ announcement: question.text });
      });
    };
    const start = () => load().catch(() => null);
    let runner = registry.tools.size > 0 ? start() : null;
    const stopListening = bus.on("tool", (name) => void runner?.then((tools) => tools?.added(name)));
    abort.signal.addEventListener("abort", () => void runner?.then((tools) => tools?.stop()));
    return {
      see(event: ChatEvent, conversation: ConversationKey | null): void {
        // A page that resumes a reply may register its tools later.
        if (event.type === "tool_use_start" && event.executionType === "client") runner ??= start();
        void runner?.then((tools) => tools?.see(event, conversation));
      },
      stopListening,
    };
  }

  async function read({ key, conversation, open, userKey, title = "" }: Reading): Promise<void> {
    const own: Running = { key, abort: new AbortController(), conversation, isStopping: false };
    running = own;
    patch({ running: key, announcement: interpolate(messages.replying, { name: agent.name }) });
    const tools = pageTools(own);
    const onReconnect = () => editReply(key, (reply) => ({ ...reply, isReconnecting: true }));
    try {
      for await (const event of open({ signal: own.abort.signal, onReconnect })) {
        if (running !== own) return;
        if (event.type === "message_start") begin(own, event, title);
        editReply(key, (reply) => applyEvent(reply, event, messages.replyFailed));
        tools.see(event, own.conversation);
      }
      if (running === own) end(own);
    } catch (error) {
      if (running !== own) return;
      running = null;
      const problem = errorMessageFor(error, messages);
      const state = replyOf(key)?.id ? "lost" : "refused";
      if (userKey && state === "refused")
        edit(userKey, (entry) => (entry.type === "user" ? { ...entry, state: "unsent" } : entry));
      const isFull = error instanceof FoyerError && error.code === "CONVERSATION_TOO_LONG";
      editReply(key, (reply) => ({ ...reply, state, isReconnecting: false, problem, isFull }));
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
    visitor.remember({ ...own.conversation, title: known?.title ?? title, at: Date.now() });
    if (own.isStopping) stopChat(request, own.conversation).catch(() => {});
  }

  function end({ key, conversation }: Running) {
    running = null;
    const reply = replyOf(key);
    const text = reply ? textOf(reply) : "";
    const note = reply?.state === "stopped" ? messages.stopped : (reply?.problem ?? "");
    const offered = reply?.suggestions.length ? `${messages.suggestions}: ${reply.suggestions.join(" ")}` : "";
    patch({ running: null, announcement: `${agent.name}: ${text} ${note} ${offered}`.trim() });
    bus.emit("message", { role: "assistant", text, conversationId: conversation?.id ?? null });
  }

  return {
    read,
    isReading: () => running !== null,
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

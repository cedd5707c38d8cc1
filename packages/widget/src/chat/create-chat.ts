import { type Rating, type Request, rateMessage } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Words } from "../locales/en.ts";
import { createChatEntries } from "./chat-entries.ts";
import type { Entry, ReplyEntry, UserEntry } from "./conversation-state.ts";
import { createStandingForms } from "./pinned-forms.ts";
import { createReplyReader } from "./reply-reader.ts";
import { createRestoring } from "./restoring.ts";
import { createMessageSender } from "./send-message.ts";
import { createStarting } from "./starting.ts";

export type Chat = ReturnType<typeof createChat>;

/** One visitor's conversation: what was said, what comes in, and what the visitor can do about it. */
export function createChat(core: WidgetCore, request: Request, words: Words) {
  const { visit, bus } = core;
  const entries = createChatEntries();
  const reader = createReplyReader(core, request, words, entries);
  const { store, patch } = entries;
  const { ask, follow } = createMessageSender(core, request, entries, reader);
  const forms = createStandingForms(core, request, words, entries);
  const restoring = createRestoring(core, request, words, { entries, reader, forms, follow });
  bus.on("identity", restoring.restore);
  const starting = createStarting(core, { entries, reader, forms, restoring });

  return {
    store,
    /** Shows the visitor's current conversation again, and goes on with a reply that still runs. */
    restore: restoring.restore,
    async say(text: string): Promise<void> {
      bus.emit("interaction");
      await restoring.done();
      if (reader.isReading()) return;
      const key = entries.newKey();
      entries.add({ type: "user", key, text, state: "sent", at: Date.now() });
      bus.emit("message", { role: "user", text, conversationId: visit.current?.id ?? null });
      ask(text, key);
    },
    /** Once more what did not work out, or another reply in the place of the last one. */
    retry(reply: ReplyEntry): void {
      if (reader.isReading()) return;
      const asked = askedBefore(store.get().entries, reply);
      const text = asked?.text ?? "…";
      entries.remove(reply.key);
      if (reply.state === "lost" && visit.current) follow(visit.current);
      else if (reply.state !== "refused" || !asked) ask(text);
      else {
        entries.edit(asked.key, (entry) => (entry.type === "user" ? { ...entry, state: "sent" } : entry));
        ask(text, asked.key);
      }
    },
    stop: reader.stop,
    startNew: starting.startNew,
    openWith: starting.openWith,
    /** Says again, in a new conversation, what the full one did not take. */
    sayInNew(reply: ReplyEntry): void {
      const asked = askedBefore(store.get().entries, reply);
      starting.startNew();
      if (asked) void this.say(asked.text);
    },
    select(id: string): void {
      bus.emit("interaction");
      visit.select(id);
      restoring.restore();
    },
    /** A bad rating asks for a comment, which is sent with the same rating. @returns whether the server has it */
    async rate({ key, id, rating: before }: ReplyEntry, rating: Rating, comment?: string): Promise<boolean> {
      const conversation = visit.current;
      if (!conversation || !id) return false;
      entries.editReply(key, (reply) => ({ ...reply, rating, isCommentWanted: rating === "down" }));
      try {
        await rateMessage(request, conversation, id, rating, comment);
        if (comment) patch({ announcement: words.commentSent });
        return true;
      } catch {
        entries.editReply(key, (reply) => ({ ...reply, rating: before }));
        patch({ announcement: words.notRated });
        return false;
      }
    },
    /** Shows a form at the end of the conversation, by its tool's id or name. @returns the key of its entry */
    showForm: forms.show,
    /** Asks once more for a form that could not be loaded. */
    loadForm: forms.load,
    /** A form has done what it was there for. */
    formSent: forms.finish,
    leave: reader.leave,
  };
}

/** The message that a reply answers. */
function askedBefore(entries: readonly Entry[], reply: ReplyEntry): UserEntry | undefined {
  const at = entries.findLastIndex(({ key }) => key === reply.key);
  return entries.slice(0, at).findLast((entry): entry is UserEntry => entry.type === "user");
}

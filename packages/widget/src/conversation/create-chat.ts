import type { ConversationKey } from "@foyer/sdk";
import { createChatEntries } from "./chat-entries.ts";
import { createConsent } from "./consent.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import { createConversationLoader } from "./conversation-loader.ts";
import { createConversationStarter } from "./conversation-starter.ts";
import type { Entry, ReplyEntry, UserEntry } from "./conversation-state.ts";
import { createDeletion } from "./delete-current.ts";
import { createPinnedForms } from "./pinned-forms.ts";
import { createRating } from "./rate-reply.ts";
import { createReplyReader, isSilent } from "./reply-reader.ts";
import { createMessageSender } from "./send-message.ts";

export type Chat = ReturnType<typeof createChat>;

/**
 * Creates the chat of one visitor: the entries that are shown, the reply that streams in, and the visitor's actions.
 */
export function createChat(deps: ConversationDeps) {
  const { core, request } = deps;
  const { visitor, bus } = core;
  const entries = createChatEntries(() => consent.isGiven());
  const reader = createReplyReader(deps, entries);
  const { store, patch } = entries;
  const consent = createConsent(core, entries);
  const { ask, follow, compose } = createMessageSender(core, request, { entries, reader, consent });
  const forms = createPinnedForms(deps, entries);
  const restoring = createConversationLoader(deps, { entries, reader, forms, consent, follow });
  const starting = createConversationStarter(core, { entries, reader, forms, restoring });

  /** A text that the visitor chose to send, such as a suggestion, before giving consent. */
  let awaitingConsent: string | null = null;
  /** Messages to a person are sent one at a time, without waiting for a reply. */
  let sending = Promise.resolve();
  bus.on("identity", () => {
    // Otherwise, the text would be sent for the next visitor when that visitor gives consent.
    awaitingConsent = null;
    restoring.restore();
  });

  return {
    store,
    patch,
    /** Returns the fields of a request that begins a conversation, without its messages. */
    compose,
    /** The text that requires consent before the first message, or null. */
    consentText: consent.text,
    /** Records the visitor's consent and sends the message that was waiting for it. */
    agree(): void {
      consent.give();
      const text = awaitingConsent;
      awaitingConsent = null;
      if (text !== null) void this.send(text);
    },
    /** Deletes the current conversation on the server and in this browser. @returns whether that succeeded */
    deleteCurrent: createDeletion(deps, { entries, reader, starting, restoring }),
    /** Loads the visitor's current conversation and follows a reply that is still running. */
    restore: restoring.restore,
    async send(text: string, attachments?: UserEntry["attachments"]): Promise<void> {
      bus.emit("interaction");
      // If the visitor has changed, the message must not be sent for the next one.
      if (!(await restoring.done())) return;
      const isQueued = isSilent(store.get(), core);
      if (reader.isReading() && !isQueued) return;
      if (consent.isNeeded()) {
        awaitingConsent = text;
        return;
      }
      const key = entries.newKey();
      const message: UserEntry = {
        type: "user",
        key,
        text,
        state: "sent",
        at: Date.now(),
        ...(attachments && { attachments }),
      };
      entries.add(message);
      const conversationId = visitor.current?.id ?? null;
      bus.emit("message", { role: "user", text, conversationId });
      if (!isQueued) return void ask(message, key);
      sending = sending.then(reader.done).then(() => {
        // Otherwise the message would become the first of the conversation that the visitor has opened in the meantime.
        if (visitor.current?.id === conversationId) return ask(message, key);
      });
    },
    /** Retries a failed message or reply, or replaces the last reply with a new one. */
    retry(reply: ReplyEntry): void {
      if (reader.isReading()) return;
      const asked = findAnsweredMessage(store.get().entries, reply) ?? { text: "…" };
      const { key, unsentKey } = reply;
      entries.remove(key);
      entries.setState(unsentKey, "sent");
      if (reply.state === "lost" && visitor.current) follow(visitor.current);
      else void ask(asked, unsentKey);
    },
    /** The connection is back: sends an unsent message again, or continues to read the reply that was lost. */
    connected(): void {
      const last = store.get().entries.at(-1);
      const isLost = last?.type === "reply" && (last.state === "lost" || last.state === "refused");
      if (isLost && !last.isFull && !last.isLasting) this.retry(last);
    },
    stop: reader.stop,
    startNew: starting.startNew,
    openWith: starting.openWith,
    /** Sends the message that the full conversation rejected again, in a new conversation. */
    resendInNew(reply: ReplyEntry): void {
      const asked = findAnsweredMessage(store.get().entries, reply);
      starting.startNew();
      if (asked) void this.send(asked.text, asked.attachments);
    },
    select(id: string): void {
      bus.emit("interaction");
      visitor.select(id);
      restoring.restore();
    },
    /** Opens the conversation of an email's link. */
    openLinked(linked: ConversationKey): void {
      bus.emit("interaction");
      visitor.remember({ ...linked, title: "", at: Date.now() });
      restoring.restore();
    },
    rate: createRating(deps, entries),
    /** Shows a form at the end of the conversation, by its tool's id or name. @returns the key of its entry */
    showForm: forms.show,
    /** Retries a form that could not be loaded. */
    loadForm: forms.load,
    /** Marks a form as submitted. */
    formSent: forms.finish,
    leave: reader.leave,
  };
}

/** The message that a reply answers. The visitor may have written further ones before the server refused it. */
function findAnsweredMessage(entries: readonly Entry[], { key, unsentKey }: ReplyEntry): UserEntry | undefined {
  const at = entries.findIndex((entry) => entry.key === key);
  return entries
    .slice(0, at)
    .findLast((entry): entry is UserEntry => entry.type === "user" && entry.key === (unsentKey ?? entry.key));
}

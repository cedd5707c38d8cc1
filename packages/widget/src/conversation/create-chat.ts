import type { ConversationKey } from "@foyer/sdk";
import { createChatEntries } from "./chat-entries.ts";
import { createConsent } from "./consent.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import { createConversationLoader } from "./conversation-loader.ts";
import { createConversationStarter } from "./conversation-starter.ts";
import type { ReplyEntry, UserEntry } from "./conversation-state.ts";
import { createDeletion } from "./delete-current.ts";
import { createDelivery, findAnsweredMessage } from "./deliver-message.ts";
import { createPinnedForms } from "./pinned-forms.ts";
import { createRating } from "./rate-reply.ts";
import { createReplyReader, isSilent } from "./reply-reader.ts";
import { createMessageSender } from "./send-message.ts";
import { createUnsentMessages } from "./unsent-messages.ts";

export type Chat = ReturnType<typeof createChat>;

/**
 * Creates the chat of one visitor: the entries that are shown, the reply that streams in, and the visitor's actions.
 */
export function createChat(deps: ConversationDeps) {
  const { core, request } = deps;
  const { visitor, bus } = core;
  const entries = createChatEntries(() => consent.isGiven());
  const unsent = createUnsentMessages(core);
  const reader = createReplyReader(deps, entries, unsent);
  const { store, patch } = entries;
  const consent = createConsent(core, entries);
  const { ask, follow, compose } = createMessageSender(core, request, { entries, reader, consent });
  const forms = createPinnedForms(deps, entries);
  const restoring = createConversationLoader(deps, { entries, reader, forms, consent, unsent, follow });
  const starting = createConversationStarter(core, { entries, reader, forms, restoring });

  /** A text that the visitor chose to send, such as a suggestion, before giving consent. */
  let awaitingConsent: string | null = null;
  /** Messages to a person are sent one at a time, without waiting for a reply. */
  let sending = Promise.resolve();
  const { begin, giveBack, sendInNew, resend } = createDelivery(deps, { entries, reader, unsent, starting, ask });

  /** The visitor's conversation as this tab shows it. */
  let shown = "";
  const currentState = () => `${visitor.current?.id}${visitor.current?.at}`;
  store.watch(() => {
    if (store.get().running) shown = currentState();
  });
  const restore = () => {
    restoring.restore();
    shown = currentState();
    void restoring.done().then(async (isSame) => {
      if (isSame) await resend();
    });
  };
  bus.on("identity", () => {
    // Otherwise, the text would be sent for the next visitor when that visitor gives consent.
    awaitingConsent = null;
    restore();
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
    restore,
    /** Whether the conversation has changed in another tab. */
    isOutdated: () => store.get().phase === "ready" && !reader.isReading() && shown !== currentState(),
    /** The text of the field of an earlier page, and what keeps it for a later one. */
    draft: unsent.draft,
    keepDraft: unsent.keepDraft,
    /**
     * Sends a message as soon as the conversation has loaded.
     * @param take takes the words out of the field, unless they have changed. Without it, they are in no field.
     */
    async send(text: string, attachments?: UserEntry["attachments"], take?: () => boolean): Promise<void> {
      bus.emit("interaction");
      // If the visitor has changed, the message must not be sent for the next one.
      if (!(await restoring.done())) return;
      const isQueued = isSilent(store.get(), core);
      if (reader.isReading() && !isQueued) return;
      if (consent.isNeeded()) {
        awaitingConsent = text;
        return;
      }
      if (take?.() === false) return;
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
      unsent.add(conversationId, message);
      bus.emit("message", { role: "user", text, conversationId });
      if (!isQueued) return void begin(message);
      sending = sending.then(reader.done).then(() => {
        // Otherwise the message would become the first of the conversation that the visitor has opened in the meantime.
        if ((visitor.current?.id ?? null) === conversationId) return begin(message);
        giveBack(message);
      });
    },
    /** Retries a failed message or reply, or replaces the last reply with a new one. */
    retry(reply: ReplyEntry): void {
      if (reader.isReading()) return;
      if (reply.unsentKey) return void resend();
      const asked = findAnsweredMessage(store.get().entries, reply) ?? { text: "…" };
      entries.remove(reply.key);
      if (reply.state === "lost" && visitor.current) follow(visitor.current);
      else void ask(asked);
    },
    /** The connection is back: sends an unsent message again, or continues to read the reply that was lost. */
    connected(): void {
      const last = store.get().entries.at(-1);
      if (last?.type === "reply" && last.state === "lost") this.retry(last);
      else void resend();
    },
    stop: reader.stop,
    startNew: starting.startNew,
    openWith: starting.openWith,
    /** Sends the message that the full conversation rejected again, in a new conversation. */
    resendInNew(reply: ReplyEntry): void {
      const asked = findAnsweredMessage(store.get().entries, reply);
      if (asked) sendInNew(asked);
    },
    select(id: string): void {
      bus.emit("interaction");
      visitor.select(id);
      restore();
    },
    /** Opens the conversation of an email's link. */
    openLinked(linked: ConversationKey): void {
      bus.emit("interaction");
      visitor.remember({ ...linked, title: "", at: Date.now() });
      restore();
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

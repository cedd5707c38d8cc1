import { type ConversationKey, FoyerError } from "@foyer/sdk";
import type { ChatEntries } from "./chat-entries.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import type { createConversationStarter } from "./conversation-starter.ts";
import type { Entry, ReplyEntry, UserEntry } from "./conversation-state.ts";
import type { ReplyReader } from "./reply-reader.ts";
import type { createMessageSender } from "./send-message.ts";
import type { UnsentMessages } from "./unsent-messages.ts";

type Parts = {
  entries: ChatEntries;
  reader: ReplyReader;
  unsent: UnsentMessages;
  starting: ReturnType<typeof createConversationStarter>;
  ask: ReturnType<typeof createMessageSender>["ask"];
};

/**
 * Delivers the visitor's messages, whatever happens to the conversation. A message that the server does not accept waits
 * with its reason, is sent in a new conversation, or goes back into the field.
 */
export function createDelivery(
  { core: { visitor }, giveBack: putBack }: ConversationDeps,
  { entries, reader, unsent, starting, ask }: Parts,
) {
  const begin = (message: UserEntry): Promise<void> => {
    const { current } = visitor;
    return ask(message, message.key, (error) => recover(error, message, current));
  };

  function giveBack(message: UserEntry): void {
    entries.remove(message.key);
    putBack?.(message);
    unsent.remove(message.key);
  }

  function sendInNew(message: UserEntry): void {
    // Otherwise, the new conversation would also show it as one that waits.
    unsent.remove(message.key);
    starting.startNew();
    unsent.add(null, message);
    entries.add(message);
    void begin(message);
  }

  /** Keeps a message that cannot become part of its conversation, or not with its files. @returns whether it did */
  function recover(error: unknown, message: UserEntry, conversation: ConversationKey | null): boolean {
    if (!(error instanceof FoyerError)) return false;
    const { status } = error;
    if (conversation && status === 404 && /conversation/i.test(error.message)) {
      // The team has deleted the conversation.
      const isOpen = visitor.current?.id === conversation.id;
      visitor.forget(conversation.id);
      if (isOpen) sendInNew(message);
      else giveBack(message);
      return true;
    }
    const isAboutFiles = message.attachments?.length && [400, 403, 404, 413].includes(status);
    if (isAboutFiles) giveBack(message);
    return Boolean(isAboutFiles);
  }

  /** Sends the messages that the server did not accept again, in their order, until one is refused. */
  async function resend(): Promise<void> {
    await reader.done();
    for (const reply of entries.store.get().entries) {
      if (reply.type !== "reply" || reply.state !== "refused" || reply.isFull || reply.isLasting) continue;
      const message = reply.unsentKey ? findAnsweredMessage(entries.store.get().entries, reply) : undefined;
      if (!message) continue;
      if (reader.isReading()) return;
      entries.remove(reply.key);
      entries.setState(message.key, "sent");
      await begin(message);
      const { entries: now } = entries.store.get();
      if (now.some((entry) => entry.key === message.key && entry.type === "user" && entry.state === "unsent")) return;
    }
  }

  return { begin, giveBack, sendInNew, resend };
}

/** The message that a reply answers. The visitor may have written further ones before the server refused it. */
export function findAnsweredMessage(entries: readonly Entry[], { key, unsentKey }: ReplyEntry): UserEntry | undefined {
  const at = entries.findIndex((entry) => entry.key === key);
  return entries
    .slice(0, at)
    .findLast((entry): entry is UserEntry => entry.type === "user" && entry.key === (unsentKey ?? entry.key));
}

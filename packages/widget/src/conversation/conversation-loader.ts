import { type ConversationKey, FoyerError, getConversation } from "@foyer/sdk";
import type { ChatEntries } from "./chat-entries.ts";
import type { Consent } from "./consent.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import { createReply, type Entry, isRunning, toEntries } from "./conversation-state.ts";
import { loadOpening, toEntry } from "./opening.ts";
import type { PinnedForms } from "./pinned-forms.ts";
import type { ReplyReader } from "./reply-reader.ts";
import type { UnsentMessages } from "./unsent-messages.ts";

/** The conversation exists, but the page has not proven yet, or no longer proves, who the visitor is. */
const identityErrors: ReadonlySet<string> = new Set(["IDENTITY_REQUIRED", "INVALID_USER_TOKEN"]);

type Parts = {
  entries: ChatEntries;
  reader: ReplyReader;
  forms: PinnedForms;
  consent: Consent;
  unsent: UnsentMessages;
  follow: (conversation: ConversationKey) => void;
};

/** Restores the visitor's current conversation, and follows a reply that is still running. */
export function createConversationLoader(
  { core, request, messages }: ConversationDeps,
  { entries, reader, forms, consent, unsent, follow }: Parts,
) {
  const { visitor } = core;
  let turn = 0;
  let done = Promise.resolve();

  /** What the visitor has written in this conversation and the server does not have. It is sent again, see `connected`. */
  const listUnsent = () =>
    unsent.list(visitor.current?.id ?? null).flatMap((message): Entry[] => {
      const reply = createReply(entries.newKey());
      const problem = messages.notAnswered;
      return [
        { ...message, state: "unsent" },
        { ...reply, state: "refused", problem, unsentKey: message.key },
      ];
    });

  async function load(): Promise<void> {
    reader.leave();
    const own = ++turn;
    const current = visitor.current;
    const opening = current ? null : loadOpening(core);
    entries.clear({
      phase: current ? "loading" : "ready",
      entries: [...(opening ? [toEntry(entries.newKey(), opening)] : []), ...listUnsent(), ...forms.pinned()],
    });
    if (!current) return;
    try {
      const conversation = await getConversation(request, current);
      if (own !== turn) return;
      consent.found(conversation.consent);
      const stored = toEntries(conversation);
      const last = stored.findLast((entry) => entry.type === "user");
      // The response to a message that has arrived was lost together with the page.
      for (const { key, text } of unsent.list(current.id)) if (text === last?.text) unsent.remove(key);
      entries.patch({
        entries: [...stored, ...listUnsent(), ...forms.pinned()],
        phase: "ready",
        ownership: conversation,
      });
      if (isRunning(conversation)) follow(current);
    } catch (error) {
      if (own !== turn) return;
      const isGone = error instanceof FoyerError && !error.isTemporary && !identityErrors.has(error.code);
      if (isGone) visitor.forget(current.id);
      entries.patch({
        phase: isGone ? "ready" : "unloadable",
        announcement: isGone ? messages.conversationGone : messages.notLoaded,
      });
    }
  }

  return {
    listUnsent,
    restore(): void {
      done = load();
    },
    /**
     * Resolves when the conversation has loaded, even if another one replaces it in the meantime.
     * @returns whether the visitor is still the same. An anonymous visitor who is identified counts as the same.
     */
    async done(): Promise<boolean> {
      const { identity, sessionId } = visitor;
      for (let awaited: typeof done | null = null; awaited !== done; await awaited) awaited = done;
      return (!identity || identity.userId === visitor.identity?.userId) && sessionId === visitor.sessionId;
    },
    /** Discards the result of a load that is in progress. */
    cancel(): void {
      turn += 1;
    },
  };
}

import { type ConversationKey, FoyerError, getConversation, type Request } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Words } from "../locales/en.ts";
import type { ChatEntries } from "./chat-entries.ts";
import { isRunning, toEntries } from "./conversation-state.ts";
import { openingEntry, savedOpening } from "./opening.ts";
import type { StandingForms } from "./pinned-forms.ts";
import type { ReplyReader } from "./reply-reader.ts";

type Parts = {
  entries: ChatEntries;
  reader: ReplyReader;
  forms: StandingForms;
  follow: (conversation: ConversationKey) => void;
};

/** Restores the visitor's current conversation, and follows a reply that is still running. */
export function createRestoring(
  core: WidgetCore,
  request: Request,
  words: Words,
  { entries, reader, forms, follow }: Parts,
) {
  const { visit } = core;
  let turn = 0;
  let done = Promise.resolve();

  async function load(): Promise<void> {
    reader.leave();
    const own = ++turn;
    const current = visit.current;
    const opening = current ? null : savedOpening(core);
    entries.clear({
      phase: current ? "loading" : "ready",
      entries: [...(opening ? [openingEntry(entries.newKey(), opening)] : []), ...forms.standing()],
    });
    if (!current) return;
    try {
      const conversation = await getConversation(request, current);
      if (own !== turn) return;
      entries.patch({ entries: [...toEntries(conversation), ...forms.standing()], phase: "ready" });
      if (isRunning(conversation)) follow(current);
    } catch (error) {
      if (own !== turn) return;
      const isGone = error instanceof FoyerError && !error.isTemporary;
      if (isGone) visit.forget(current.id);
      entries.patch({
        phase: isGone ? "ready" : "unloadable",
        announcement: isGone ? words.gone : words.notLoaded,
      });
    }
  }

  return {
    restore(): void {
      done = load();
    },
    /** Resolves when what is being loaded is there. */
    done: () => done,
    /** What is being loaded is no longer wanted. */
    cancel(): void {
      turn += 1;
    },
  };
}

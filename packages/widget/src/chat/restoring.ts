import { type ConversationKey, FoyerError, getConversation, type Request } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Words } from "../locales/en.ts";
import type { ChatEntries } from "./chat-entries.ts";
import { isRunning, toEntries } from "./conversation-state.ts";
import type { StandingForms } from "./pinned-forms.ts";
import type { ReplyReader } from "./reply-reader.ts";

type Parts = {
  entries: ChatEntries;
  reader: ReplyReader;
  forms: StandingForms;
  follow: (conversation: ConversationKey) => void;
};

/** Brings back the visitor's current conversation, and goes on with a reply that still runs. */
export function createRestoring(
  { visit }: WidgetCore,
  request: Request,
  words: Words,
  { entries, reader, forms, follow }: Parts,
) {
  let turn = 0;
  let done = Promise.resolve();

  async function load(): Promise<void> {
    reader.leave();
    const own = ++turn;
    const current = visit.current;
    entries.clear({ phase: current ? "loading" : "ready", entries: forms.standing() });
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

import type { WidgetCore } from "../loader/widget-core.ts";
import type { ChatEntries } from "./chat-entries.ts";
import type { createConversationLoader } from "./conversation-loader.ts";
import { type Opening, saveOpening, toEntry } from "./opening.ts";
import type { PinnedForms } from "./pinned-forms.ts";
import type { ReplyReader } from "./reply-reader.ts";

type Parts = {
  entries: ChatEntries;
  reader: ReplyReader;
  forms: PinnedForms;
  restoring: ReturnType<typeof createConversationLoader>;
};

/** The two ways to start a new conversation. */
export function createConversationStarter(core: WidgetCore, { entries, reader, forms, restoring }: Parts) {
  const { visitor, bus } = core;
  return {
    /** Starts an empty conversation and stops the running reply. */
    startNew(): void {
      bus.emit("interaction");
      reader.leave({ ended: true });
      restoring.cancel();
      visitor.select(null);
      forms.clear();
      saveOpening(core, null);
      entries.clear({ entries: restoring.listUnsent() });
    },
    /**
     * Starts a conversation with a bubble's text. The previous one stays in the list, and its reply continues on the
     * server.
     */
    openWith(opening: Opening): void {
      reader.leave();
      restoring.cancel();
      visitor.select(null);
      entries.clear();
      saveOpening(core, opening);
      entries.add(toEntry(entries.newKey(), opening));
    },
  };
}

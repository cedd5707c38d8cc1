import type { WidgetCore } from "../loader/widget-core.ts";
import type { ChatEntries } from "./chat-entries.ts";
import { type Opening, openingEntry, saveOpening } from "./opening.ts";
import type { StandingForms } from "./pinned-forms.ts";
import type { ReplyReader } from "./reply-reader.ts";
import type { createRestoring } from "./restoring.ts";

type Parts = {
  entries: ChatEntries;
  reader: ReplyReader;
  forms: StandingForms;
  restoring: ReturnType<typeof createRestoring>;
};

/** The ways in which a new conversation starts. */
export function createStarting(core: WidgetCore, { entries, reader, forms, restoring }: Parts) {
  const { visit, bus } = core;
  return {
    /** Starts an empty conversation and stops the running reply. */
    startNew(): void {
      bus.emit("interaction");
      reader.leave({ ended: true });
      restoring.cancel();
      visit.select(null);
      forms.drop();
      saveOpening(core, null);
      entries.clear();
    },
    /** Starts a conversation with a bubble's text. The previous one stays in the list, and its reply goes on. */
    openWith(opening: Opening): void {
      reader.leave();
      restoring.cancel();
      visit.select(null);
      entries.clear();
      saveOpening(core, opening);
      entries.add(openingEntry(entries.newKey(), opening));
    },
  };
}

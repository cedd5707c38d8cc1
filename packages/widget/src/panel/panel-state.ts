import type { Attachment, Person } from "@foyer/contract";
import type { ConversationKey } from "@foyer/sdk";
import { createStore } from "../store.ts";
import type { Handoff } from "./panel-context.ts";

export type Status = { text: string; person: Person | null };

export type PanelState = ReturnType<typeof createPanelState>;

type State = {
  isOpen: boolean;
  view: "chat" | "conversations";
  /** The message that the visitor has typed but not sent. */
  draft: string;
  /** What the visitor has attached to that message. Its uploads are complete unless `isUploading`. */
  attached: readonly Attachment[];
  /** The files of a message that is back in the field, until they are attached again. */
  returned: readonly Attachment[];
  /** Whether an upload is running or has failed, so the message cannot be sent yet. */
  isUploading: boolean;
  /** The conversation of a link, until the visitor has decided whether to open it. */
  linked: ConversationKey | null;
  /** Set once the handoff code has loaded. */
  handoff: Handoff | null;
  /** What the header says, and whose face it shows, while a person is wanted or has the conversation. */
  status: Status | null;
};

/** @param keepDraft called with each change of the text in the field */
export function createPanelState(keepDraft: (draft: string) => void) {
  const store = createStore<State>({
    isOpen: false,
    view: "chat",
    draft: "",
    attached: [],
    returned: [],
    isUploading: false,
    linked: null,
    handoff: null,
    status: null,
  });
  return {
    ...store,
    patch(changes: Partial<State>): void {
      store.set({ ...store.get(), ...changes });
      if (changes.draft !== undefined) keepDraft(changes.draft);
    },
  };
}

import type { Ownership } from "@foyer/contract";
import { randomId } from "../loader/random-id.ts";
import { createStore } from "../store.ts";
import type { Entry, ReplyEntry, UserEntry } from "./conversation-state.ts";

export type ChatState = {
  entries: readonly Entry[];
  /** Loading state of a stored conversation. `unloadable` can be retried. */
  phase: "loading" | "ready" | "unloadable";
  /** The key of the reply that is streaming in. */
  running: string | null;
  /** Text for screen readers: the start and end of a reply, and errors. */
  announcement: string;
  /** Who handles the conversation. `null` until the server has reported it. */
  ownership: Ownership | null;
  /** Whether the visitor gave consent to the agent's `consentText`, in this conversation or on this page. */
  hasConsent: boolean;
};

export type ChatEntries = ReturnType<typeof createChatEntries>;

/** Holds the entries that the chat shows, with functions that change one entry at a time. */
/** @param keepsConsent whether consent also applies to the next conversation */
export function createChatEntries(keepsConsent: () => boolean) {
  const empty: ChatState = {
    entries: [],
    phase: "ready",
    running: null,
    announcement: "",
    ownership: null,
    hasConsent: false,
  };
  const store = createStore<ChatState>(empty);
  const patch = (changes: Partial<ChatState>) => store.set({ ...store.get(), ...changes });
  const edit = (key: string | undefined, change: (entry: Entry) => Entry) => {
    const entries = [...store.get().entries];
    const at = entries.findIndex((entry) => entry.key === key);
    const entry = entries[at];
    if (entry) entries[at] = change(entry);
    patch({ entries });
  };
  return {
    store,
    patch,
    edit,
    /** Messages of the visitor are sent with the key of their entry, so a key must not be used again after a reload. */
    newKey: randomId,
    clear: (changes: Partial<ChatState> = {}) => store.set({ ...empty, hasConsent: keepsConsent(), ...changes }),
    add: (entry: Entry) => patch({ entries: [...store.get().entries, entry] }),
    remove: (key: string) => patch({ entries: store.get().entries.filter((entry) => entry.key !== key) }),
    /** Changes the state of a visitor's message. Has no effect if `key` is undefined. */
    setState: (key: string | undefined, state: UserEntry["state"]) =>
      edit(key, (entry) => (entry.type === "user" ? { ...entry, state } : entry)),
    editReply: (key: string, change: (reply: ReplyEntry) => ReplyEntry) =>
      edit(key, (entry) => (entry.type === "reply" ? change(entry) : entry)),
    replyOf: (key: string) =>
      store.get().entries.findLast((entry): entry is ReplyEntry => entry.key === key && entry.type === "reply"),
  };
}

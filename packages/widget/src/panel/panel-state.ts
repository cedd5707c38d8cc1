import { createStore } from "../store.ts";

export type PanelState = ReturnType<typeof createPanelState>;

type State = {
  isOpen: boolean;
  view: "chat" | "conversations";
  /** The message that the visitor has typed but not sent. */
  draft: string;
};

export function createPanelState() {
  const store = createStore<State>({ isOpen: false, view: "chat", draft: "" });
  return { ...store, patch: (changes: Partial<State>) => store.set({ ...store.get(), ...changes }) };
}

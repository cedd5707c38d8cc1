import { createStore } from "../store.ts";

export type PanelState = ReturnType<typeof createPanelState>;

type State = {
  isOpen: boolean;
  view: "chat" | "conversations";
  /** What the visitor has written and not sent. */
  draft: string;
};

export function createPanelState() {
  const store = createStore<State>({ isOpen: false, view: "chat", draft: "" });
  return { ...store, patch: (changes: Partial<State>) => store.set({ ...store.get(), ...changes }) };
}

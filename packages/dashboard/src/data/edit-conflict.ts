import type { ContentChange } from "@foyer/contract/rules/compare-contents";
import { useSyncExternalStore } from "react";

/** `overwrite` saves on top of the changes of others, `reload` shows them instead, and `cancel` does neither. */
export type ConflictAnswer = "overwrite" | "reload" | "cancel";

/** A save that would overwrite what somebody else has saved since the page was loaded. */
export type EditConflict = {
  agentName: string;
  changes: readonly ContentChange[];
  /** Whether the page has typed values, which a reload discards. */
  hasForm: boolean;
  answer(answer: ConflictAnswer): void;
};

let conflict: EditConflict | null = null;
const listeners = new Set<() => void>();

/** Opens the dialog and waits for the user's decision. */
export function askAboutConflict(asked: Omit<EditConflict, "answer">): Promise<ConflictAnswer> {
  conflict?.answer("cancel");
  return new Promise((resolve) => {
    const answer = (given: ConflictAnswer) => {
      show(null);
      resolve(given);
    };
    show({ ...asked, answer });
  });
}

/** The conflict that the user has to decide on. */
export function useEditConflict(): EditConflict | null {
  return useSyncExternalStore(subscribe, () => conflict);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(next: EditConflict | null) {
  conflict = next;
  for (const listener of listeners) listener();
}

import { useSyncExternalStore } from "react";

/** A short message at the edge of the page. `undo` reverts the reported action. */
export type Toast = { id: number; text: string; isWrong: boolean; undo?: () => void };

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

type ToastOptions = {
  isWrong?: boolean;
  undo?: () => void;
  /** the message that this one takes the place of */
  replaces?: number | undefined;
};

/**
 * Shows a message for 6 s, or for 12 s if it is an error or can be undone.
 * @returns its id
 */
export function notify(text: string, { isWrong = false, undo, replaces }: ToastOptions = {}): number {
  const id = ++lastId;
  // Keep only the newest three messages, because more would cover the page.
  const others = toasts.filter((toast) => toast.id !== replaces);
  setToasts([...others.slice(-2), { id, text, isWrong, ...(undo ? { undo } : {}) }]);
  setTimeout(() => dismiss(id), isWrong || undo ? 12_000 : 6_000);
  return id;
}

export function dismiss(id: number): void {
  setToasts(toasts.filter((notice) => notice.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, () => toasts);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setToasts(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

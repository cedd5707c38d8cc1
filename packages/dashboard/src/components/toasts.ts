import { useSyncExternalStore } from "react";

/** A short message at the edge of the page. `undo` reverts the reported action. */
export type Notice = { id: number; text: string; isWrong: boolean; undo?: () => void };

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message for 6 s, or for 12 s if it is an error or can be undone. */
export function notify(text: string, { isWrong = false, undo }: { isWrong?: boolean; undo?: () => void } = {}): void {
  const id = ++lastId;
  // Keeps the newest three, because more would cover the page.
  setNotices([...notices.slice(-2), { id, text, isWrong, ...(undo ? { undo } : {}) }]);
  setTimeout(() => dismiss(id), isWrong || undo ? 12_000 : 6_000);
}

export function dismiss(id: number): void {
  setNotices(notices.filter((notice) => notice.id !== id));
}

export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(subscribe, () => notices);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setNotices(next: readonly Notice[]) {
  notices = next;
  for (const listener of listeners) listener();
}

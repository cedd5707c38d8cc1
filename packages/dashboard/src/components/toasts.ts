import { useSyncExternalStore } from "react";

/** A short message at the edge of the page. `undo` takes back what it tells of. */
export type Notice = { id: number; text: string; isWrong: boolean; undo?: () => void };

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message for 6 s; what went wrong, and what can be undone, for 12 s. */
export function notify(text: string, { isWrong = false, undo }: { isWrong?: boolean; undo?: () => void } = {}): void {
  const id = ++lastId;
  // The newest three: more would cover the page.
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

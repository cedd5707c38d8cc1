import { useSyncExternalStore } from "react";

const stored = "foyer.send-and-resolve";
const listeners = new Set<() => void>();

/** Whether Ctrl+Enter or Cmd+Enter also resolves the conversation, in this browser. */
export function useSendKey() {
  const resolves = useSyncExternalStore(subscribe, read);
  return {
    resolves,
    toggle: () => {
      localStorage.setItem(stored, resolves ? "off" : "on");
      for (const listener of listeners) listener();
    },
  };
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): boolean {
  return localStorage.getItem(stored) !== "off";
}

/** The name of the key that sends and resolves, on this device. */
export const sendKeyName = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ Enter" : "Ctrl+Enter";

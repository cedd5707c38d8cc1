import { useEffect, useRef, useState } from "react";

export type InboxAct =
  | "next"
  | "previous"
  | "list"
  | "search"
  | "select"
  | "selectRange"
  | "delete"
  | "help"
  | "takeOver"
  | "reply"
  | "note"
  | "returnToAgent"
  | "assign"
  | "addTag"
  | "close"
  | "resolve"
  | "snooze";

const stored = "foyer.inbox-keys";

const letters: Record<string, InboxAct> = {
  x: "select",
  X: "selectRange",
  j: "next",
  k: "previous",
  "/": "search",
  "?": "help",
  t: "takeOver",
  r: "reply",
  n: "note",
  b: "returnToAgent",
  a: "assign",
  g: "addTag",
  c: "close",
  e: "resolve",
  s: "snooze",
};
/** Keys that work only in the list, because elsewhere they scroll or delete. */
const listKeys: Record<string, InboxAct> = { ArrowDown: "next", ArrowUp: "previous", Delete: "delete" };

/**
 * Keyboard shortcuts of the inbox. Users of speech input, and users who press keys by accident, can disable
 * single-character shortcuts in this browser (WCAG 2.1.4).
 */
export function useInboxKeys(act: (act: InboxAct) => void) {
  const [isOn, setOn] = useState(() => localStorage.getItem(stored) !== "off");
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const meant = findAct(event, isOn);
      if (!meant) return;
      event.preventDefault();
      latest.current(meant);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [isOn]);
  return {
    isOn,
    toggle: () => {
      localStorage.setItem(stored, isOn ? "off" : "on");
      setOn(!isOn);
    },
  };
}

function findAct(event: KeyboardEvent, isOn: boolean): InboxAct | null {
  const { key, target } = event;
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || !(target instanceof Element)) {
    return null;
  }
  if (target.closest("input:not([type=checkbox]), textarea, select, [role=dialog], [role=menu], [contenteditable]"))
    return null;
  const inList = target.closest("[data-conversation]") ? listKeys[key] : undefined;
  const act = inList ?? (key === "Escape" ? "list" : isOn ? letters[readLetter(event)] : undefined);
  // A key that is held repeats. Each action would apply to the conversation that the previous one has opened.
  return act && (!event.repeat || act === "next" || act === "previous") ? act : null;
}

/**
 * The letter of a shortcut: with other scripts, such as Cyrillic or Greek, that of the key's place. Only Shift makes it
 * a capital letter, because Caps Lock may be on.
 */
function readLetter({ key, code, shiftKey }: KeyboardEvent): string {
  const isForeign = key.length === 1 && /\P{ASCII}/u.test(key);
  const letter = isForeign ? (/^Key([A-Z])$/.exec(code)?.[1] ?? key) : key;
  if (!/^[a-z]$/i.test(letter)) return letter;
  return shiftKey ? letter.toUpperCase() : letter.toLowerCase();
}

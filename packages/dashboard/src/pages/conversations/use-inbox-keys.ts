import { useEffect, useRef, useState } from "react";

type Act = "next" | "previous" | "search" | "delete";

const stored = "foyer.inbox-keys";

/**
 * Single-key shortcuts for the inbox. Users of speech input, or who press keys by accident, can turn them off in this
 * browser (WCAG 2.1.4). Arrow keys and Delete only work in the list.
 */
export function useInboxKeys(act: (act: Act) => void) {
  const [isOn, setOn] = useState(() => localStorage.getItem(stored) !== "off");
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const meant = actOf(event, isOn);
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

function actOf(event: KeyboardEvent, isOn: boolean): Act | null {
  const { key, target } = event;
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || !(target instanceof Element)) {
    return null;
  }
  if (target.closest("input, textarea, select, [role=dialog], [role=menu], [contenteditable]")) return null;
  if (target.closest("[data-conversation]")) {
    if (key === "ArrowDown") return "next";
    if (key === "ArrowUp") return "previous";
    if (key === "Delete") return "delete";
  }
  return isOn ? (({ j: "next", k: "previous", "/": "search" } as const)[key] ?? null) : null;
}

import { useCallback, useRef } from "react";
import { api } from "../../data/api.ts";

/** The server considers a report valid for five seconds. */
const REPEAT_MS = 3_000;

/** @returns a function to call on every keystroke of a message; it reports typing at most every three seconds */
export function useTypingReport(conversationId: string): () => void {
  const last = useRef(0);
  return useCallback(() => {
    const now = Date.now();
    if (now - last.current < REPEAT_MS) return;
    last.current = now;
    // A lost report does no harm, because the next one repeats it.
    api.reportTyping({ id: conversationId }).catch(() => {});
  }, [conversationId]);
}

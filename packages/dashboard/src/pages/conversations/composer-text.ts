import { useCallback, useState } from "react";

export type ComposerMode = "reply" | "note";

/** Text that was typed but not sent, by conversation and mode, so that opening another conversation loses nothing. */
const kept = new Map<string, string>();
/** Beyond this many, the oldest texts are dropped. */
const MAX_KEPT = 50;

/** The text of the composer. It is kept in this tab until it is sent. */
export function useComposerText(conversationId: string, mode: ComposerMode) {
  const key = `${mode} ${conversationId}`;
  const [, rerender] = useState(0);
  const setText = useCallback(
    (next: string | ((text: string) => string)) => {
      const text = typeof next === "string" ? next : next(kept.get(key) ?? "");
      kept.delete(key);
      if (text !== "") kept.set(key, text);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      rerender((count) => count + 1);
    },
    [key],
  );
  return [kept.get(key) ?? "", setText] as const;
}

/** Removes `sent` from the beginning of the text after it was sent. The rest was typed in the meantime. */
export function withoutSent(text: string, sent: string): string {
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text;
}

import type { Output } from "@foyer/sdk";
import { useCallback, useState } from "react";

/** What else happens when a reply is sent. */
export type ReplyActions = NonNullable<Output<"listCannedReplies">[number]["actions"]>;

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

/** The actions of the canned replies that were inserted, by conversation. */
const keptActions = new Map<string, ReplyActions>();

/** The actions that run when the reply is sent. They are kept as long as its text. */
export function useComposerActions(conversationId: string) {
  const [, rerender] = useState(0);
  const setActions = useCallback(
    (actions: ReplyActions | null) => {
      if (actions) keptActions.set(conversationId, actions);
      else keptActions.delete(conversationId);
      rerender((count) => count + 1);
    },
    [conversationId],
  );
  return [keptActions.get(conversationId) ?? null, setActions] as const;
}

/** Combines the actions of two canned replies in one message. The later one decides what happens to the conversation. */
export function combineActions(first: ReplyActions | null, { tagIds = [], ...then }: ReplyActions): ReplyActions {
  const { tagIds: firstTagIds = [], ...firstThen } = first ?? {};
  const tags = [...new Set([...firstTagIds, ...tagIds])];
  return { ...(tags.length > 0 ? { tagIds: tags } : {}), ...(Object.keys(then).length > 0 ? then : firstThen) };
}

/** Removes `sent` from the beginning of the text after it was sent. The rest was typed in the meantime. */
export function withoutSent(text: string, sent: string): string {
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text;
}

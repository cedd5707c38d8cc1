import type { Output } from "@foyer/sdk";

/** What else happens when a reply is sent. */
export type ReplyActions = NonNullable<Output<"listCannedReplies">[number]["actions"]>;

export type ComposerMode = "reply" | "note";

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

import type { ConversationTag } from "@foyer/contract";
import { maxConversationTags, maxTagNameLength, tagKey, toTagName } from "@foyer/contract/rules/tag-name";

/** Further tags are found by typing. */
const MAX_SHOWN = 50;

/** A tag that can be added. One that `isNew` is created by adding it. */
export type TagChoice = ConversationTag & { isNew: boolean };

/**
 * The tags to offer for a text, and a sentence that explains what is missing from them. Tags that start with the text
 * come first, and the one to create comes last.
 * @param all the tags of the organization, or undefined until they have loaded
 * @param own the tags that the conversation has
 */
export function tagChoices({
  all,
  own,
  text,
}: {
  all: readonly ConversationTag[] | undefined;
  own: readonly ConversationTag[];
  text: string;
}): { items: TagChoice[]; status: string } {
  if (own.length >= maxConversationTags) {
    const limit = `A conversation can have at most ${maxConversationTags} tags.`;
    return { items: [], status: `${limit} Remove one to add another.` };
  }
  const key = tagKey(text);
  const has = ({ name }: ConversationTag) => tagKey(name) === key;
  const ownIds = new Set(own.map(({ id }) => id));
  const matches = (all ?? [])
    .filter(({ id, name }) => !ownIds.has(id) && tagKey(name).includes(key))
    .map(({ id, name }) => ({ id, name, isNew: false }))
    .sort((a, b) => Number(tagKey(b.name).startsWith(key)) - Number(tagKey(a.name).startsWith(key)));
  const name = toTagName(text);
  const isLong = Array.from(name).length > maxTagNameLength;
  const items: TagChoice[] = matches.slice(0, MAX_SHOWN);
  const canCreate = key !== "" && !isLong && !own.some(has) && !matches.some(has);
  if (canCreate) items.push({ id: "new", name, isNew: true });
  const more = matches.length - MAX_SHOWN;
  if (isLong) return { items, status: `A tag can have at most ${maxTagNameLength} characters.` };
  if (key !== "" && own.some(has)) return { items, status: "This conversation already has this tag." };
  if (more > 0) return { items, status: `${more} more. Type a name to find them.` };
  if (items.length > 0 || !all) return { items, status: "" };
  return {
    items,
    status: all.length === 0 ? "No tags yet. Type a name to create the first one." : "Type a name to create a tag.",
  };
}

/** Describes the difference between two states of a conversation's tags. A renamed tag is neither new nor gone. */
export function describeTagChange(before: readonly ConversationTag[], after: readonly ConversationTag[]): string {
  const added = findMissingTags(before, after);
  const removed = findMissingTags(after, before);
  return [added.length > 0 && `Added ${added.join(", ")}.`, removed.length > 0 && `Removed ${removed.join(", ")}.`]
    .filter(Boolean)
    .join(" ");
}

function findMissingTags(some: readonly ConversationTag[], others: readonly ConversationTag[]): string[] {
  const ids = new Set(some.map(({ id }) => id));
  return others.filter(({ id }) => !ids.has(id)).map(({ name }) => name);
}

import { withoutInvisible } from "./invisible-characters.ts";

/** The maximum number of tags of a conversation. */
export const maxConversationTags = 20;
/** The maximum number of characters of a tag's name. */
export const maxTagNameLength = 40;

/** The name as it is stored and shown: on one line, and without invisible characters. */
export function toTagName(text: string): string {
  return withoutInvisible(text)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** The name as it is compared with others: regardless of case, of spaces, and of forms such as full-width letters. */
export function tagKey(name: string): string {
  return toTagName(name).normalize("NFKC").toLowerCase();
}

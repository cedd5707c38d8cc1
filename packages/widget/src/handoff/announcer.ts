import type { Chat } from "../conversation/create-chat.ts";

/**
 * Messages that arrive within this time, in milliseconds, are announced together, because a later text would replace an
 * earlier one in the live region.
 */
const TOGETHER_MS = 150;

/** Announces texts to screen readers in the panel's live region, each of them once. */
export function createAnnouncer(chat: Pick<Chat, "store" | "patch">) {
  let texts: string[] = [];
  return (text: string): void => {
    texts.push(text);
    if (texts.length > 1) return;
    setTimeout(() => {
      const announcement = texts.join("\n");
      texts = [];
      // Setting the same text again would not change the live region.
      const isSame = chat.store.get().announcement === announcement;
      chat.patch({ announcement: isSame ? `${announcement}\u00a0` : announcement });
    }, TOGETHER_MS);
  };
}

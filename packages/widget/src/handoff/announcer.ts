import type { Chat } from "../chat/create-chat.ts";

/** Messages that arrive within this time, in milliseconds, are announced together. A later text would replace an earlier. */
const TOGETHER_MS = 150;

/** Tells screen readers, in the panel's live region, each text once. */
export function createAnnouncer(chat: Pick<Chat, "store" | "patch">) {
  let texts: string[] = [];
  return (text: string): void => {
    texts.push(text);
    if (texts.length > 1) return;
    setTimeout(() => {
      const announcement = texts.join("\n");
      texts = [];
      // The same text again would change nothing in the live region.
      const isSame = chat.store.get().announcement === announcement;
      chat.patch({ announcement: isSame ? `${announcement}\u00a0` : announcement });
    }, TOGETHER_MS);
  };
}

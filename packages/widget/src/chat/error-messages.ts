import { FoyerError } from "@foyer/sdk";
import type { Words } from "../locales/en.ts";
import { interpolate } from "../locales/load-messages.ts";

/** What an error means to the visitor, in their language. The server's own words are for who made the page. */
export function problemWords(error: unknown, words: Words): string {
  if (!(error instanceof FoyerError)) return words.replyFailed;
  if (error.code === "UNREACHABLE") return words.unreachable;
  if (error.code === "INTERRUPTED") return words.interrupted;
  if (error.code === "CONVERSATION_TOO_LONG") return words.conversationFull;
  if (error.status === 429) return interpolate(words.tooMany, { seconds: error.retryAfter ?? 60 });
  return error.isTemporary ? words.busy : words.refused;
}

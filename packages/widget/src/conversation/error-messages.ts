import { FoyerError } from "@foyer/sdk";
import type { Messages } from "../locales/en.ts";
import { interpolate } from "../locales/load-messages.ts";

/** Whether the reply failed for a reason that only the site's owner can remove, so trying again does not help. */
export const isLasting = (code: string): boolean => code === "MODEL_NOT_CONFIGURED" || code === "MODEL_REFUSED";

/** The message for a visitor, in their language. The server's own message is for the site's developer. */
export function errorMessageFor(error: unknown, messages: Messages): string {
  if (!(error instanceof FoyerError)) return messages.replyFailed;
  if (error.code === "UNREACHABLE") return messages.unreachable;
  if (error.code === "INTERRUPTED") return messages.interrupted;
  if (error.code === "CONVERSATION_TOO_LONG") return messages.conversationFull;
  if (isLasting(error.code)) return messages.cannotAnswer;
  if (error.status === 429) return interpolate(messages.tooManyMessages, { seconds: error.retryAfter ?? 60 });
  return error.isTemporary ? messages.busy : messages.notAnswered;
}

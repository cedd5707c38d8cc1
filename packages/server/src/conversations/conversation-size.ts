import { conversationLimits } from "@foyer/contract";
import type { ConversationRow } from "../db/tables.ts";
import { AppError } from "../errors.ts";

export type ConversationSize = Pick<ConversationRow, "messageCount" | "textBytes" | "toolBytes">;

/**
 * Checks that a conversation of this size is within the limits.
 * @param spare bytes to reserve, for example for a reply
 * @throws 409 when it is too large
 */
export function checkConversationSize({ messageCount, textBytes, toolBytes }: ConversationSize, spare = 0): void {
  const { messages, textBytes: maxText, toolBytes: maxTools } = conversationLimits;
  if (messageCount <= messages && textBytes + spare <= maxText && toolBytes + spare <= maxTools) return;
  throw new AppError(
    "CONVERSATION_TOO_LONG",
    `A conversation holds at most ${messages} messages and ${maxText / 1024 / 1024} MiB of text. Start a new one.`,
  );
}

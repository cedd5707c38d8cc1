import type { VerifiedVisitor } from "@foyer/contract";

/**
 * The visitor and page of a turn. The server inserts them into tool calls, and the model can neither read nor change
 * them. They come from one request, because a conversation that a verified visitor began can be continued without a
 * proof.
 */
export type TurnContext = {
  /** what this request proved about its visitor; null when it proved nothing */
  visitor: VerifiedVisitor | null;
  conversation: { id: string };
  /** the page that shows the chat; null when the request named none */
  page: { url: string | null } | null;
  /** names of the client tools that the page can run */
  clientTools: readonly string[];
};

import type { VerifiedVisitor } from "@foyer/contract";

/**
 * Whose turn it is and where. The server fills tools with it, and the model can neither read nor change it. It belongs to
 * one request: a conversation that a verified visitor began can be continued without a proof.
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

import type { ConversationStatus } from "@foyer/contract";
import type { Instant } from "./column-types.ts";

/** Whether the team still has something to do in a conversation. */
export type StatusColumns = {
  status: ConversationStatus;
  /** when a snoozed conversation opens again; null for others */
  snoozedUntil: Instant | null;
  /** when it was resolved; null for others */
  resolvedAt: Instant | null;
};

/** When conversations of an agent resolve by themselves, see conversations/status-timer.ts. */
export type ResolveColumns = {
  /** days without an answer of the visitor to a member; null: never */
  resolveAfter: number | null;
  /** the agent's last words then */
  resolveMessage: string | null;
};

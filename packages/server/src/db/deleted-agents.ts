import { type Generated, sql } from "kysely";
import type { Instant } from "./tables/column-types.ts";

export type DeletionColumns = {
  /**
   * When the agent was deleted or moved to the trash. From then on, readers no longer see it. The content of a deleted
   * agent is deleted in batches.
   */
  deletedAt: Generated<Instant | null>;
};

type AgentContent = "submissions" | "replyFailures" | "sources";
type ConversationContent = "replyFailures" | "unansweredQuestions" | "documentCitations";

/** Excludes rows of an agent that is in the trash or being deleted, which takes a while. Readers must not see them. */
export function agentExists(table: AgentContent) {
  return ofExistingAgent(table);
}

/** Excludes conversations or documents that are in the trash, and those of an agent that is. */
export function isVisible(table: "conversations" | "documents") {
  return sql<boolean>`${sql.ref(`${table}.trashedAt`)} is null and ${ofExistingAgent(table)}`;
}

/** Selects whether a conversation is neither in the trash nor of an agent that is. Timers of others wait. */
export const isShown = sql<0 | 1>`case when ${isVisible("conversations")} then 1 else 0 end`.as("isShown");

/** Excludes rows about conversations that are in the trash. */
export function isOutsideTrash(table: ConversationContent) {
  return notInTrash(`${table}.conversationId`);
}

/**
 * Excludes conversations that are in the trash without reading their rows, for queries that read an index alone.
 * @param id the column with the id of the conversation
 */
export function notInTrash(id: string) {
  return sql<boolean>`not exists (select 1 from trash where trash."conversationId" = ${sql.ref(id)})`;
}

function ofExistingAgent(table: string) {
  return sql<boolean>`${sql.ref(`${table}.agentId`)} not in (select id from agents where "deletedAt" is not null)`;
}

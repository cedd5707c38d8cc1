import { type Generated, sql } from "kysely";
import type { Instant } from "./column-types.ts";

export type DeletionColumns = {
  /** When the agent was deleted. Readers no longer see it from then on, while its content is deleted in batches. */
  deletedAt: Generated<Instant | null>;
};

type AgentContent = "conversations" | "submissions" | "replyFailures";

/**
 * False for rows of an agent that is being deleted: deleting them takes a while, and until then readers must not see
 * them.
 */
export function ofExistingAgent(table: AgentContent) {
  return sql<boolean>`${sql.ref(`${table}.agentId`)} not in (select id from agents where "deletedAt" is not null)`;
}

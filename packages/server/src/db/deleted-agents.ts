import { type Generated, sql } from "kysely";
import type { Instant } from "./tables/column-types.ts";

export type DeletionColumns = {
  /** When the agent was deleted. From then on, readers no longer see it, while its content is deleted in batches. */
  deletedAt: Generated<Instant | null>;
};

type AgentContent = "conversations" | "submissions" | "replyFailures";

/**
 * Excludes rows of an agent that is being deleted. Deleting them takes a while, and readers must not see them in the
 * meantime.
 */
export function agentExists(table: AgentContent) {
  return sql<boolean>`${sql.ref(`${table}.agentId`)} not in (select id from agents where "deletedAt" is not null)`;
}

import type { Instant, Json } from "./column-types.ts";

/** Tests of agents, see evaluations/. */
export type EvaluationTables = { agentTests: AgentTestRow };

export type AgentTestRow = {
  id: string;
  organizationId: string;
  agentId: string;
  /** unique within the agent */
  name: string;
  /** the visitor's messages, a list of texts */
  turns: Json;
  /** a list of `AgentTestCheck` */
  checks: Json;
  /** what tools answer, by name */
  results: Json;
  /** the conversation that the test was kept from, with which it is deleted */
  conversationId: string | null;
  createdAt: Instant;
  updatedAt: Instant;
};

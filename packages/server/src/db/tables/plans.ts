import type { Generated } from "kysely";
import type { Instant, Json } from "./column-types.ts";

/** The tables behind plans, limits and idempotency, as Kysely sees them. */
export type PlanTables = {
  idempotencyKeys: IdempotencyKeyRow;
  planMinutes: PlanMinuteRow;
  agentMonths: AgentMonthRow;
  organizationMonths: OrganizationMonthRow;
  visitorDays: VisitorDayRow;
  byteDays: ByteDayRow;
};

/** The bytes that were stored on a UTC day: of an organization's documents, or of an agent's chats by its id. */
export type ByteDayRow = { organizationId: string; subject: string; day: string; bytes: number };

/** Calls with an organization's keys in the current clock minute (minutes since 1970, by the database's clock). */
type PlanMinuteRow = { organizationId: string; minute: number; calls: number };

/**
 * The tokens of an agent's replies in a calendar month (UTC, `2026-01`), and what they cost. `cost` leaves out replies
 * of unknown cost.
 */
type AgentMonthRow = {
  agentId: string;
  month: string;
  tokens: number;
  cost: Generated<number>;
  /** when the team was notified that most of the budget is used; null if it was not */
  tokensNotifiedAt: Generated<Instant | null>;
  costNotifiedAt: Generated<Instant | null>;
};

/** The tokens that an organization used with the operator's provider keys in a calendar month (UTC). */
type OrganizationMonthRow = { organizationId: string; month: string; tokens: number };

/** The tokens of the replies that one visitor received from an agent on a UTC day. */
type VisitorDayRow = { agentId: string; visitor: string; day: string; tokens: number };

/** The response to a request with an Idempotency-Key. Kept for 24 hours. */
export type IdempotencyKeyRow = {
  /** SHA-256 of the caller, the endpoint and the key */
  id: string;
  /** the agent of the created resource, if it has one; the response is deleted with it */
  agentId: string | null;
  /** SHA-256 of the request body */
  requestHash: string;
  answer: Json;
  createdAt: Instant;
};

/** The counters behind plans and limits, as Kysely sees them. */
export type PlanTables = {
  planMinutes: PlanMinuteRow;
  agentMonths: AgentMonthRow;
  organizationMonths: OrganizationMonthRow;
  visitorDays: VisitorDayRow;
};

/** Calls with an organization's keys in the current clock minute (minutes since 1970, by the database's clock). */
type PlanMinuteRow = { organizationId: string; minute: number; calls: number };

/** The tokens of an agent's replies in a calendar month (UTC, `2026-01`). */
type AgentMonthRow = { agentId: string; month: string; tokens: number };

/** The tokens that an organization used with the operator's provider keys in a calendar month (UTC). */
type OrganizationMonthRow = { organizationId: string; month: string; tokens: number };

/** The tokens of the replies that one visitor received from an agent on a UTC day. */
type VisitorDayRow = { agentId: string; visitor: string; day: string; tokens: number };

import type { ConversationAnalytics } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { AgentService } from "../../agents/service.ts";
import type { Deps } from "../../deps.ts";
import { toUtcDay } from "../../utc-day.ts";
import { addCounts, noCounts } from "./counters.ts";
import { summarizeHandoffs } from "./handoffs.ts";
import { estimateCosts } from "./past-costs.ts";
import { createConversationAnalyticsStore } from "./store.ts";

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

type Query = { agentId?: string | undefined; from?: string | undefined; to?: string | undefined };

export type ConversationAnalyticsService = ReturnType<typeof createConversationAnalytics>;

/** Conversation analytics of an organization, read from counters. */
export function createConversationAnalytics(
  deps: Pick<Deps, "db" | "reads" | "prices">,
  agents: Pick<AgentService, "get">,
) {
  const store = createConversationAnalyticsStore(deps);
  const { prices } = deps;
  return {
    /** See past-costs.ts. @throws 404 when the organization has no such agent */
    async estimateCosts(organizationId: string, { model = null, ...query }: Query & { model?: string | null }) {
      if (query.agentId !== undefined) await agents.get(organizationId, query.agentId);
      const range = { organizationId, agentId: query.agentId, ...parseRange(query) };
      return estimateCosts(deps, range, model);
    },
    /** @throws 404 when the organization has no such agent */
    async read(organizationId: string, { agentId, ...given }: Query): Promise<ConversationAnalytics> {
      if (agentId !== undefined) await agents.get(organizationId, agentId);
      const { from, to } = parseRange(given);
      const range = { organizationId, agentId, from, to };
      const [days, hours, byAgent, byModel, causes] = await Promise.all([
        store.days(range),
        store.hours(range),
        store.agents(range),
        store.models(range),
        store.handoffs(range),
      ]);
      const { currency } = await prices.ofOrganization(organizationId);
      const totals = days.reduce(addCounts, noCounts);
      return {
        from,
        to,
        totals,
        days,
        hours: Array.from({ length: 24 }, (_, hour) => {
          const counts = hours.find((row) => row.hour === hour) ?? noCounts;
          return { hour, conversations: counts.conversations, replies: counts.replies };
        }),
        agents: byAgent,
        models: byModel,
        currency,
        handoffs: summarizeHandoffs(causes, totals.conversations),
      };
    },
  };
}

/** Limits the range to its last 366 days. Without a first day, it covers 30 days. */
function parseRange({ from, to }: Omit<Query, "agentId">): { from: string; to: string } {
  const end = to === undefined ? Date.now() : Date.parse(to);
  const last = toUtcDay(end);
  const earliest = toUtcDay(end - (MAX_DAYS - 1) * DAY_MS);
  const first = toUtcDay(from === undefined ? end - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(from));
  return { from: first < earliest ? earliest : first, to: last };
}

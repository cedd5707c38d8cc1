import type { ConversationAnalytics } from "@foyer/contract";
import type { AgentService } from "../../agents/service.ts";
import type { Deps } from "../../deps.ts";
import { addCounts, noCounts } from "./counters.ts";
import { summarizeHandoffs } from "./handoffs.ts";
import { estimateCosts } from "./past-costs.ts";
import { type AnalyticsQuery, parseRange } from "./range.ts";
import { createConversationAnalyticsStore } from "./store.ts";

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
    async estimateCosts(
      organizationId: string,
      { model = null, ...query }: AnalyticsQuery & { model?: string | null },
    ) {
      if (query.agentId !== undefined) await agents.get(organizationId, query.agentId);
      const range = { organizationId, agentId: query.agentId, ...parseRange(query) };
      return estimateCosts(deps, range, model);
    },
    /** @throws 404 when the organization has no such agent */
    async read(organizationId: string, { agentId, ...given }: AnalyticsQuery): Promise<ConversationAnalytics> {
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

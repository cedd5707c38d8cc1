import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import { firstIdAt } from "../ids.ts";
import { toUtcDay } from "../utc-day.ts";
import { DOCUMENTS, readBytesToday, readDocumentBytes } from "./byte-quota.ts";
import type { CallCounter } from "./call-counter.ts";
import { callsPerMinute, readLimits, tokensPerMonth } from "./plan-limits.ts";
import { createTokenBudgets } from "./token-budget.ts";
import { createUsageStore } from "./usage-store.ts";

/** The plan's limits and current usage. */
export function planRoutes(
  app: App,
  deps: Pick<Deps, "db" | "reads" | "config" | "encryption">,
  calls: CallCounter,
): void {
  const budgets = createTokenBudgets(deps);
  const usageOf = createUsageStore(deps);
  app.route({
    ...contract.getPlan,
    handler: async (request) => {
      const { organizationId, plan } = requirePrincipal(request);
      const { chatBytesPerDay, submissionBytesPerDay } = deps.config.limits;
      // 0 disables the limit.
      const requestsPerMinute = callsPerMinute(plan, deps.config.limits.apiCalls) || null;
      const requestsThisMinute = await calls.current(organizationId);
      const now = Date.now();
      const agents = await usageOf(organizationId, { ...toMonth(now), today: toUtcDay(now) });
      const operatorTokensThisMonth = await budgets.usedByOrganization(organizationId);
      return {
        planId: plan,
        limits: {
          ...readLimits(plan),
          requestsPerMinute,
          chatBytesPerAgentPerDay: chatBytesPerDay || null,
          submissionBytesPerAgentPerDay: submissionBytesPerDay || null,
          operatorTokensPerMonth: tokensPerMonth(plan, deps.config.limits.planTokens) || null,
        },
        usage: {
          requestsThisMinute,
          operatorTokensThisMonth,
          documentBytes: await readDocumentBytes(deps.db, organizationId),
          documentBytesToday: await readBytesToday(deps.db, { organizationId, subject: DOCUMENTS }),
          agents,
        },
      };
    },
  });
}

/** The calendar month of a timestamp, in UTC. */
export function toMonth(now: number) {
  const month = toUtcDay(now).slice(0, 7);
  const firstDay = `${month}-01`;
  return { month, firstDay, firstConversation: firstIdAt("conv", Date.parse(firstDay)) };
}

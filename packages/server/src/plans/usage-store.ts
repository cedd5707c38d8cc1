import type { AgentUsage } from "@foyer/contract";
import { sql } from "kysely";
import { isVisible, notInTrash } from "../db/deleted-agents.ts";
import type { Deps } from "../deps.ts";

/**
 * A month: its name and first day as stored in counters, and an id that sorts before those of its conversations. Bytes
 * are those of one day.
 */
type Month = { month: string; firstDay: string; firstConversation: string; today: string };

/**
 * The monthly usage of each agent of an organization, read from counters and indexes instead of the events themselves.
 */
export function createUsageStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  const selectUsage = (organizationId: string, { month, firstDay, firstConversation, today }: Month) =>
    db
      .selectFrom("agents")
      .select(["agents.id", "agents.name", "agents.monthlyTokenBudget", "agents.monthlyCostBudget"])
      .select(({ selectFrom }) => {
        const count = sql<number>`cast(count(*) as bigint)`.as("n");
        const tools = selectFrom("tools").select(count).whereRef("tools.agentId", "=", "agents.id");
        const conversations = selectFrom("conversations")
          .select(count)
          .whereRef("conversations.agentId", "=", "agents.id")
          .where("conversations.id", ">=", firstConversation)
          .where(notInTrash("conversations.id"));
        const ofMonth = selectFrom("agentMonths")
          .whereRef("agentMonths.agentId", "=", "agents.id")
          .where("month", "=", month);
        const submissions = selectFrom("formDays")
          .select(sql<number>`cast(sum(submitted) as bigint)`.as("n"))
          .whereRef("formDays.agentId", "=", "agents.id")
          .where("day", ">=", firstDay);
        const documents = selectFrom("documents")
          .select(count)
          .whereRef("documents.agentId", "=", "agents.id")
          .where(isVisible("documents"));
        const chatBytes = selectFrom("byteDays")
          .select("bytes")
          .whereRef("byteDays.organizationId", "=", "agents.organizationId")
          .whereRef("byteDays.subject", "=", "agents.id")
          .where("day", "=", today);
        const submissionBytes = selectFrom("submissionDays")
          .select("bytes")
          .whereRef("submissionDays.agentId", "=", "agents.id")
          .where("day", "=", today);
        return [
          sql<number>`${documents}`.as("documents"),
          sql<number>`coalesce(${chatBytes}, 0)`.as("chatBytesToday"),
          sql<number>`coalesce(${submissionBytes}, 0)`.as("submissionBytesToday"),
          sql<number>`${tools}`.as("tools"),
          sql<number>`${conversations}`.as("conversationsThisMonth"),
          sql<number>`coalesce(${ofMonth.select("tokens")}, 0)`.as("tokensThisMonth"),
          sql<number>`coalesce(${ofMonth.select("cost")}, 0)`.as("costThisMonth"),
          sql<number>`coalesce(${submissions}, 0)`.as("submissionsThisMonth"),
        ];
      })
      .where("organizationId", "=", organizationId)
      .where("deletedAt", "is", null)
      .orderBy("agents.id");
  return async (organizationId: string, month: Month): Promise<AgentUsage[]> =>
    reads.run(selectUsage(organizationId, month), { lane: "list", owner: organizationId });
}

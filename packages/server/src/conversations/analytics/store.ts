import type { ConversationCounts } from "@foyer/contract";
import { type Compilable, sql } from "kysely";
import type { Deps } from "../../deps.ts";

/** One agent, or all agents of the organization. Days are UTC and both ends are inclusive. */
export type AnalyticsRange = { organizationId: string; agentId: string | undefined; from: string; to: string };

const MAX_AGENTS = 100;

/**
 * Reads the hourly counters. A range of 366 days has at most 8,784 rows per agent, however many conversations there
 * are.
 */
export function createConversationAnalyticsStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  const inRange = ({ organizationId, agentId, from, to }: AnalyticsRange) =>
    db
      .selectFrom("conversationHours")
      .innerJoin("agents", "agents.id", "conversationHours.agentId")
      .where("agents.organizationId", "=", organizationId)
      .$if(agentId !== undefined, (query) => query.where("conversationHours.agentId", "=", agentId ?? ""))
      .where("day", ">=", from)
      .where("day", "<=", to);
  const read = <Row>({ organizationId }: AnalyticsRange, query: Compilable<Row>) =>
    reads.run(query, { lane: "list", owner: organizationId });
  return {
    days: (range: AnalyticsRange): Promise<Array<ConversationCounts & { date: string }>> =>
      read(range, inRange(range).select("day as date").select(sums).groupBy("day").orderBy("day")),
    /** Only hours with activity. */
    hours: (range: AnalyticsRange): Promise<Array<ConversationCounts & { hour: number }>> =>
      read(range, inRange(range).select("hour").select(sums).groupBy("hour")),
    agents: (range: AnalyticsRange): Promise<Array<ConversationCounts & { agentId: string; agentName: string }>> =>
      read(
        range,
        inRange(range)
          .select(["conversationHours.agentId", "agents.name as agentName"])
          .select(sums)
          .groupBy(["conversationHours.agentId", "agents.name"])
          .orderBy("conversations", "desc")
          .orderBy("replies", "desc")
          .orderBy("conversationHours.agentId")
          .limit(MAX_AGENTS),
      ),
  };
}

const sums = [
  total("conversations"),
  total("replies"),
  total("failedReplies"),
  total("ratedUp"),
  total("ratedDown"),
  total("inputTokens"),
  total("outputTokens"),
] as const;

function total<const N extends keyof ConversationCounts>(name: N) {
  return sql<number>`cast(sum(${sql.ref(`conversationHours.${name}`)}) as bigint)`.as(name);
}

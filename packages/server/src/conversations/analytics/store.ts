import type { ConversationCounts, ModelCosts } from "@foyer/contract";
import { type Compilable, sql } from "kysely";
import type { Deps } from "../../deps.ts";
import type { HandoffSums } from "./handoffs.ts";

/** One agent, or all agents of the organization. Days are UTC and both ends are inclusive. */
export type AnalyticsRange = { organizationId: string; agentId: string | undefined; from: string; to: string };

const MAX_AGENTS = 100;
const MAX_MODELS = 100;

/**
 * Reads the counters. A range of 366 days has at most 8,784 hours and 2,196 days of handoffs per agent, however many
 * conversations there are.
 */
export function createConversationAnalyticsStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  const inRange = ({ organizationId, agentId, from, to }: AnalyticsRange) =>
    db
      .selectFrom("conversationHours")
      .innerJoin("agents", "agents.id", "conversationHours.agentId")
      .where("agents.organizationId", "=", organizationId)
      .where("agents.deletedAt", "is", null)
      .$if(agentId !== undefined, (query) => query.where("conversationHours.agentId", "=", agentId ?? ""))
      .where("day", ">=", from)
      .where("day", "<=", to);
  const read = <Row>({ organizationId }: AnalyticsRange, query: Compilable<Row>) =>
    reads.run(query, { lane: "list", owner: organizationId });
  return {
    days: (range: AnalyticsRange): Promise<Array<ConversationCounts & { date: string }>> =>
      read(range, inRange(range).select("day as date").select(sums).groupBy("day").orderBy("day")),
    /** Returns only hours with activity. */
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
    models: (range: AnalyticsRange): Promise<ModelCosts[]> =>
      read(
        range,
        selectModels(db, range)
          .select("modelDays.model")
          .select(modelSums)
          .groupBy("modelDays.model")
          .orderBy("replies", "desc")
          .orderBy("modelDays.model")
          .limit(MAX_MODELS),
      ),
    /** Returns the sums by cause, the most frequent cause first. */
    handoffs: (range: AnalyticsRange): Promise<HandoffSums[]> => read(range, selectHandoffs(db, range)),
  };
}

/** What each model of an agent has used on each day. */
export function selectModels(db: Deps["db"], { organizationId, agentId, from, to }: AnalyticsRange) {
  return db
    .selectFrom("modelDays")
    .innerJoin("agents", "agents.id", "modelDays.agentId")
    .where("agents.organizationId", "=", organizationId)
    .where("agents.deletedAt", "is", null)
    .$if(agentId !== undefined, (query) => query.where("modelDays.agentId", "=", agentId ?? ""))
    .where("day", ">=", from)
    .where("day", "<=", to);
}

const sumOfModel = <
  const N extends "replies" | "inputTokens" | "cachedInputTokens" | "outputTokens" | "unknownCostReplies",
>(
  name: N,
) => sql<number>`cast(sum(${sql.ref(`modelDays.${name}`)}) as bigint)`.as(name);

export const modelSums = [
  sumOfModel("replies"),
  sumOfModel("inputTokens"),
  sumOfModel("cachedInputTokens"),
  sumOfModel("outputTokens"),
  sql<number>`sum("modelDays".cost)`.as("cost"),
  sumOfModel("unknownCostReplies"),
] as const;

function selectHandoffs(db: Deps["db"], { organizationId, agentId, from, to }: AnalyticsRange) {
  const sum = <const N extends Exclude<keyof HandoffSums, "cause">>(name: N) =>
    sql<number>`cast(sum(${sql.ref(`handoffDays.${name}`)}) as bigint)`.as(name);
  return db
    .selectFrom("handoffDays")
    .innerJoin("agents", "agents.id", "handoffDays.agentId")
    .where("agents.organizationId", "=", organizationId)
    .where("agents.deletedAt", "is", null)
    .$if(agentId !== undefined, (query) => query.where("handoffDays.agentId", "=", agentId ?? ""))
    .where("day", ">=", from)
    .where("day", "<=", to)
    .select("cause")
    .select([sum("requested"), sum("conversations"), sum("taken"), sum("waitedMs")])
    .select([sum("answered"), sum("answerMs"), sum("inTime")])
    .select([sum("answersWithin1Min"), sum("answersWithin5Min"), sum("answersWithin15Min")])
    .select([sum("answersWithin1Hour"), sum("answersWithin4Hours"), sum("answersLater")])
    .groupBy("cause")
    .orderBy("requested", "desc")
    .orderBy("cause");
}

const sums = [
  sumColumn("conversations"),
  sumColumn("replies"),
  sumColumn("failedReplies"),
  sumColumn("ratedUp"),
  sumColumn("ratedDown"),
  sumColumn("inputTokens"),
  sumColumn("cachedInputTokens"),
  sumColumn("outputTokens"),
  sumColumn("fallbackReplies"),
  sumColumn("visitorAttachments"),
  sumColumn("memberAttachments"),
  sql<number>`sum("conversationHours".cost)`.as("cost"),
  sumColumn("unknownCostReplies"),
] as const;

function sumColumn<const N extends keyof ConversationCounts>(name: N) {
  return sql<number>`cast(sum(${sql.ref(`conversationHours.${name}`)}) as bigint)`.as(name);
}

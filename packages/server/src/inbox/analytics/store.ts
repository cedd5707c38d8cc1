import type { InboxFigureGroup, InboxFigures } from "@foyer/contract";
import { DAY_MS, HOUR_MS } from "@foyer/contract/rules/time";
import { type Compilable, sql } from "kysely";
import type { Deps } from "../../deps.ts";
import { toUtcDay } from "../../utc-day.ts";

/** One agent, or all agents of the organization. Days are UTC and both ends are inclusive. */
export type FigureRange = { organizationId: string; agentId: string | undefined; from: string; to: string };

/** The figures of a group. `id` is null for all requests, and `name` when the member or team is gone. */
export type GroupFigures = InboxFigures & { id: string | null; name: string | null };

const MAX_GROUPS = 100;

const groups = {
  member: { id: "handoffs.takenBy", name: sql`(select "name" from "users" where "users"."id" = "handoffs"."takenBy")` },
  team: {
    id: "handoffs.teamId",
    name: sql`(
      select "name" from "teams"
      where "teams"."id" = "handoffs"."teamId" and "teams"."organizationId" = "handoffs"."organizationId"
    )`,
  },
  agent: { id: "handoffs.agentId", name: sql`"agents"."name"` },
} as const;

type Counts = Pick<
  InboxFigures,
  "requests" | "answered" | "ended" | "reopened" | "nextAnswersMet" | "nextAnswersMissed"
>;

/**
 * Reads figures from the requests for a person of a range, in the background, because the time grows with their number.
 * One read follows the other, so that the figures of one organization do not fill the queue of reads.
 */
export function createInboxFigures({ db, reads }: Pick<Deps, "db" | "reads">) {
  const read = <Row>({ organizationId }: FigureRange, query: Compilable<Row>) =>
    reads.run(query, { lane: "list", owner: organizationId });

  const inRange = ({ organizationId, agentId, from, to }: FigureRange) =>
    db
      .selectFrom("handoffs")
      .innerJoin("conversations", "conversations.id", "handoffs.conversationId")
      .innerJoin("agents", "agents.id", "handoffs.agentId")
      .where("handoffs.organizationId", "=", organizationId)
      .where("conversations.organizationId", "=", organizationId)
      .where("agents.organizationId", "=", organizationId)
      .where("agents.deletedAt", "is", null)
      .where("conversations.isTest", "=", 0)
      .where("conversations.trashedAt", "is", null)
      .where("handoffs.requestedAt", ">=", Date.parse(from))
      .where("handoffs.requestedAt", "<", Date.parse(to) + DAY_MS)
      // A request that passed to another team before a member took it continues there, and must not count twice.
      .where(({ eb, or }) =>
        or([eb("handoffs.endedBy", "is distinct from", "moved"), eb("handoffs.takenAt", "is not", null)]),
      )
      .$if(agentId !== undefined, (query) => query.where("handoffs.agentId", "=", agentId ?? ""));

  const keyOf = (group: InboxFigureGroup | null) =>
    group === null ? sql<string | null>`cast(null as text)` : sql<string | null>`${sql.ref(groups[group].id)}`;

  async function readGroup(range: FigureRange, group: InboxFigureGroup | null): Promise<GroupFigures[]> {
    const key = keyOf(group);
    const counts = inRange(range)
      .$if(group !== null, (query) => query.where(key, "is not", null))
      .select([
        key.as("id"),
        sql<string | null>`max(${group === null ? sql`cast(null as text)` : groups[group].name})`.as("name"),
        toCount(sql`1`).as("requests"),
        toCount(sql`case when "handoffs"."answeredAt" is not null then 1 else 0 end`).as("answered"),
        toCount(sql`case when "handoffs"."endedBy" in ('member', 'closed') then 1 else 0 end`).as("ended"),
        toCount(sql`case when exists (
          select 1 from "handoffs" as "earlier"
          where "earlier"."conversationId" = "handoffs"."conversationId"
            and "earlier"."organizationId" = "handoffs"."organizationId"
            and "earlier"."requestedAt" < "handoffs"."requestedAt" and "earlier"."endedBy" in ('member', 'closed')
        ) then 1 else 0 end`).as("reopened"),
        toCount(sql`"handoffs"."nextMet"`).as("nextAnswersMet"),
        toCount(sql`"handoffs"."nextMissed"`).as("nextAnswersMissed"),
      ])
      .$if(group !== null, (query) => query.groupBy(key))
      .orderBy("requests", "desc")
      .orderBy("id")
      .limit(MAX_GROUPS);
    const rows = await read<Counts & Pick<GroupFigures, "id" | "name">>(range, counts);
    const times = await readTimes(range, group);
    return rows.map((row) => {
      const timesOf = (metric: string) => {
        const found = times.find((time) => time.id === row.id && time.metric === metric);
        return { median: found?.median ?? null, p90: found?.p90 ?? null };
      };
      return {
        ...row,
        firstAnswerMs: timesOf("firstAnswer"),
        handlingMs: timesOf("handling"),
        resolutionMs: timesOf("resolution"),
      };
    });
  }

  /** The median and the ninetieth percentile of each time: the shortest time that so many are not longer than. */
  function readTimes(range: FigureRange, group: InboxFigureGroup | null) {
    const key = keyOf(group);
    const select = (metric: string, ms: ReturnType<typeof sql<number | null>>) =>
      inRange(range)
        .$if(group !== null, (query) => query.where(key, "is not", null))
        .where(ms, "is not", null)
        .select([key.as("id"), sql<string>`cast(${sql.lit(metric)} as text)`.as("metric"), ms.as("ms")]);
    const isByMember = sql`"handoffs"."endedBy" in ('member', 'closed')`;
    // Requests that ended before the times within the office hours were recorded have only the whole time.
    const all = select(
      "firstAnswer",
      sql`case when "handoffs"."cause" <> 'member' then
        coalesce("handoffs"."openAnswerMs", "handoffs"."answeredAt" - "handoffs"."requestedAt") end`,
    )
      .unionAll(select("handling", sql`case when ${isByMember} then "handoffs"."endedAt" - "handoffs"."takenAt" end`))
      .unionAll(
        select(
          "resolution",
          sql`case when ${isByMember} then
            coalesce("handoffs"."openEndMs", "handoffs"."endedAt" - "handoffs"."requestedAt") end`,
        ),
      );
    const ranked = db
      .selectFrom(all.as("times"))
      .select(["id", "metric", "ms"])
      .select([
        sql<number>`row_number() over (partition by "id", "metric" order by "ms")`.as("place"),
        sql<number>`count(*) over (partition by "id", "metric")`.as("count"),
      ]);
    const quantile = (percent: number) =>
      sql<number>`cast(min(case when "place" * 100 >= "count" * ${sql.lit(percent)} then "ms" end) as bigint)`;
    return read(
      range,
      db
        .selectFrom(ranked.as("ranked"))
        .select(["id", "metric", quantile(50).as("median"), quantile(90).as("p90")])
        .groupBy(["id", "metric"]),
    );
  }

  function readPeriods(range: FigureRange, period: ReturnType<typeof sql<unknown>>) {
    const value = sql<number>`cast(${period} as bigint)`;
    return read(
      range,
      inRange(range)
        .select([value.as("period"), toCount(sql`1`).as("requests")])
        .select(toCount(sql`case when "handoffs"."answeredAt" is not null then 1 else 0 end`).as("answered"))
        .groupBy(value)
        .orderBy(value),
    );
  }

  return {
    async totals(range: FigureRange): Promise<GroupFigures | undefined> {
      return (await readGroup(range, null))[0];
    },
    groups: readGroup,
    /** Requests by their UTC day. */
    days: async (range: FigureRange): Promise<Array<{ date: string } & Counted>> => {
      const rows = await readPeriods(range, sql`"handoffs"."requestedAt" / ${sql.lit(DAY_MS)}`);
      return rows.map(({ period, ...counted }) => ({ date: toUtcDay(period * DAY_MS), ...counted }));
    },
    /** Requests by the UTC hour of the day, without hours that have none. */
    hours: async (range: FigureRange): Promise<Array<{ hour: number } & Counted>> => {
      const rows = await readPeriods(range, sql`"handoffs"."requestedAt" / ${sql.lit(HOUR_MS)} % 24`);
      return rows.map(({ period, ...counted }) => ({ hour: period, ...counted }));
    },
    /** The conversations that started in the range, from the counters, by agent, the most conversations first. */
    startedByAgent: (range: FigureRange): Promise<Array<{ id: string; name: string; conversations: number }>> =>
      read(
        range,
        db
          .selectFrom("conversationHours")
          .innerJoin("agents", "agents.id", "conversationHours.agentId")
          .where("agents.organizationId", "=", range.organizationId)
          .where("agents.deletedAt", "is", null)
          .$if(range.agentId !== undefined, (query) => query.where("agents.id", "=", range.agentId ?? ""))
          .where("day", ">=", range.from)
          .where("day", "<=", range.to)
          .select(["agents.id", "agents.name", toCount(sql`"conversations"`).as("conversations")])
          .groupBy(["agents.id", "agents.name"])
          .orderBy("conversations", "desc")
          .orderBy("agents.id")
          .limit(MAX_GROUPS),
      ),
    /**
     * The conversations that were handed over for the first time in the range, by agent. They come from the counters, as
     * those that started do: otherwise, a deleted conversation would count as one that the agent resolved alone.
     */
    handedOverByAgent: (range: FigureRange): Promise<Array<{ id: string; conversations: number }>> =>
      read(
        range,
        db
          .selectFrom("handoffDays")
          .innerJoin("agents", "agents.id", "handoffDays.agentId")
          .where("agents.organizationId", "=", range.organizationId)
          .where("agents.deletedAt", "is", null)
          .$if(range.agentId !== undefined, (query) => query.where("agents.id", "=", range.agentId ?? ""))
          .where("day", ">=", range.from)
          .where("day", "<=", range.to)
          .select(["agents.id", toCount(sql`"conversations"`).as("conversations")])
          .groupBy("agents.id"),
      ),
  };
}

type Counted = { requests: number; answered: number };

function toCount(value: ReturnType<typeof sql<unknown>>) {
  return sql<number>`cast(coalesce(sum(${value}), 0) as bigint)`;
}

import type { InboxFigureGroup, InboxFigures, RatingFigures } from "@foyer/contract";
import { listOffsets } from "@foyer/contract/rules/office-hours";
import { DAY_MS, HOUR_MS } from "@foyer/contract/rules/time";
import { type Compilable, type RawBuilder, sql } from "kysely";
import type { Deps } from "../../deps.ts";
import {
  isLastTaken,
  type RatingCounts,
  selectScores,
  selectUnanswered,
  toCount,
  toRatingFigures,
  wasTaken,
} from "./rating-figures.ts";

/** One agent, or all agents of the organization. Days are UTC and both ends are inclusive. */
export type FigureRange = {
  organizationId: string;
  agentId: string | undefined;
  from: string;
  to: string;
  /** of the hours of the day */
  timeZone: string;
};

/**
 * The figures of a group. `id` is null for all requests, the days since 1970 for a day, and 0 to 23 for an hour. `name` is
 * null when the member or team is gone.
 */
export type GroupFigures = InboxFigures & { id: string | null; name: string | null };

/** The maximum number of members, teams or agents. */
export const MAX_GROUPS = 100;
/** A range has at most 366 days, and a day 24 hours. */
const MAX_PERIODS = 366;

const noName = sql<string | null>`cast(null as text)`;

const namedGroups = {
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

type Counts = Omit<InboxFigures, "firstAnswerMs" | "handlingMs" | "resolutionMs" | "rating">;

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

  const keyOf = (range: FigureRange, group: InboxFigureGroup | null): RawBuilder<string | null> => {
    if (group === null) return noName;
    if (group === "day") return sql`cast("handoffs"."requestedAt" / ${sql.lit(DAY_MS)} as text)`;
    if (group === "hour") return sql`cast(${selectLocalTime(range)} / ${sql.lit(HOUR_MS)} % 24 as text)`;
    return sql`${sql.ref(namedGroups[group].id)}`;
  };

  async function readGroup(range: FigureRange, group: InboxFigureGroup | null): Promise<GroupFigures[]> {
    const key = keyOf(range, group);
    const isPeriod = group === "day" || group === "hour";
    const counts = inRange(range)
      .$if(group !== null, (query) => query.where(key, "is not", null))
      .select([
        key.as("id"),
        sql<string | null>`max(${group === null || isPeriod ? noName : namedGroups[group].name})`.as("name"),
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
      .select(selectScores(sql`"conversations"."ratingHandoffId" = "handoffs"."id"`))
      .select(selectUnanswered(isLastTaken))
      .$if(group !== null, (query) => query.groupBy(key))
      .orderBy("requests", "desc")
      .orderBy("id")
      .limit(isPeriod ? MAX_PERIODS : MAX_GROUPS);
    const rows = await read<Counts & RatingCounts & Pick<GroupFigures, "id" | "name">>(range, counts);
    const times = await readTimes(range, group);
    return rows.map(({ unanswered, score1, score2, score3, score4, score5, ...row }) => {
      const timesOf = (metric: string) => {
        const found = times.find((time) => time.id === row.id && time.metric === metric);
        return { median: found?.median ?? null, p90: found?.p90 ?? null };
      };
      return {
        ...row,
        firstAnswerMs: timesOf("firstAnswer"),
        handlingMs: timesOf("handling"),
        resolutionMs: timesOf("resolution"),
        rating: toRatingFigures({ unanswered, score1, score2, score3, score4, score5 }),
      };
    });
  }

  /**
   * The median and the ninetieth percentile of each time: the shortest time that so many are not longer than. The
   * requests are read once for all three times.
   */
  function readTimes(range: FigureRange, group: InboxFigureGroup | null) {
    const key = keyOf(range, group);
    const isByMember = sql`"handoffs"."endedBy" in ('member', 'closed')`;
    // Requests that ended before the times within the office hours were recorded have only the whole time.
    const requests = inRange(range)
      .$if(group !== null, (query) => query.where(key, "is not", null))
      .select([
        key.as("id"),
        sql<number | null>`case when "handoffs"."cause" <> 'member' then
          coalesce("handoffs"."openAnswerMs", "handoffs"."answeredAt" - "handoffs"."requestedAt") end`.as(
          "firstAnswer",
        ),
        sql<number | null>`case when ${isByMember} then
          coalesce("handoffs"."openHandlingMs", "handoffs"."endedAt" - "handoffs"."takenAt") end`.as("handling"),
        sql<number | null>`case when ${isByMember} then
          coalesce("handoffs"."openEndMs", "handoffs"."endedAt" - "handoffs"."requestedAt") end`.as("resolution"),
      ]);
    const select = (metric: "firstAnswer" | "handling" | "resolution") => sql`
      select "id", cast(${sql.lit(metric)} as text) as "metric", ${sql.ref(metric)} as "ms"
      from "requests" where ${sql.ref(metric)} is not null`;
    const times = sql<{ id: string | null; metric: string; ms: number }>`(
      ${select("firstAnswer")} union all ${select("handling")} union all ${select("resolution")})`;
    const quantile = (percent: number) =>
      sql<number>`cast(min(case when "place" * 100 >= "count" * ${sql.lit(percent)} then "ms" end) as bigint)`;
    return read(
      range,
      db
        .with(
          (cte) => cte("requests").materialized(),
          () => requests,
        )
        .with("ranked", (query) =>
          query
            .selectFrom(times.as("times"))
            .select(["id", "metric", "ms"])
            .select([
              sql<number>`row_number() over (partition by "id", "metric" order by "ms")`.as("place"),
              sql<number>`count(*) over (partition by "id", "metric")`.as("count"),
            ]),
        )
        .selectFrom("ranked")
        .select(["id", "metric", quantile(50).as("median"), quantile(90).as("p90")])
        .groupBy(["id", "metric"]),
    );
  }

  return {
    async totals(range: FigureRange): Promise<GroupFigures | undefined> {
      return (await readGroup(range, null))[0];
    },
    groups: readGroup,
    /** Ratings of conversations that started in the range and that no member had, of each agent or of all. */
    async ratingsAlone(
      range: FigureRange,
      group: "agent" | null,
    ): Promise<Array<RatingFigures & { id: string | null }>> {
      const key = group === null ? noName : sql<string | null>`"conversations"."agentId"`;
      const query = db
        .selectFrom("conversations")
        .innerJoin("agents", "agents.id", "conversations.agentId")
        .where("conversations.organizationId", "=", range.organizationId)
        .where("agents.organizationId", "=", range.organizationId)
        .where("agents.deletedAt", "is", null)
        .where("conversations.isTest", "=", 0)
        .where("conversations.trashedAt", "is", null)
        .where("conversations.ratingAskedAt", "is not", null)
        .where("conversations.createdAt", ">=", Date.parse(range.from))
        .where("conversations.createdAt", "<", Date.parse(range.to) + DAY_MS)
        .$if(range.agentId !== undefined, (query) => query.where("conversations.agentId", "=", range.agentId ?? ""))
        .select(key.as("id"))
        .select(selectScores(sql`"conversations"."ratingHandoffId" is null`))
        .select(selectUnanswered(sql`not ${wasTaken}`))
        .$if(group !== null, (query) => query.groupBy(key));
      const rows = await read<RatingCounts & { id: string | null }>(range, query);
      return rows.map(({ id, ...counts }) => ({ id, ...toRatingFigures(counts) }));
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
     * those that started do: otherwise, a deleted conversation would count as one that was not handed over.
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

/** The local time of a request in the range's time zone, in milliseconds, whose offset can change within the range. */
function selectLocalTime({ from, to, timeZone }: FigureRange) {
  const [first, ...changes] = listOffsets(timeZone, Date.parse(from), Date.parse(to) + DAY_MS);
  const offset = changes.reduce(
    (before, change) =>
      sql`case when "handoffs"."requestedAt" < ${sql.lit(change.from)} then ${before} else ${sql.lit(change.offset)} end`,
    sql`${sql.lit(first?.offset ?? 0)}`,
  );
  return sql`("handoffs"."requestedAt" + ${offset})`;
}

import type { Readable } from "node:stream";
import type { InboxAnalytics, InboxFigureGroup, InboxFigures, RatingFigures } from "@foyer/contract";
import { isTimeZone } from "@foyer/contract/rules/office-hours";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { AgentService } from "../../agents/service.ts";
import { type AnalyticsQuery, parseRange } from "../../conversations/analytics/range.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../errors.ts";
import { createCsvStream } from "../../http/csv.ts";
import { toUtcDay } from "../../utc-day.ts";
import { createInboxFigures, type FigureRange, type GroupFigures, MAX_GROUPS } from "./store.ts";

export type InboxAnalyticsService = ReturnType<typeof createInboxAnalytics>;

type Query = AnalyticsQuery & { timeZone?: string | undefined };
type NamedGroup = Exclude<InboxFigureGroup, "day" | "hour">;
type AgentRow = InboxAnalytics["agents"][number];

const noRating: RatingFigures = { asked: 0, rated: 0, responseRate: null, average: null, scores: [0, 0, 0, 0, 0] };
const noTime = { median: null, p90: null };
const noFigures: InboxFigures = {
  requests: 0,
  answered: 0,
  ended: 0,
  reopened: 0,
  firstAnswerMs: noTime,
  handlingMs: noTime,
  resolutionMs: noTime,
  nextAnswersMet: 0,
  nextAnswersMissed: 0,
  rating: noRating,
};
/** What members, teams and agents are called when they are gone. */
const goneNames: Record<NamedGroup, string> = {
  member: "Former member",
  team: "Deleted team",
  agent: "Deleted agent",
};

/** How members, teams and agents have worked on the conversations that were handed over to people. */
export function createInboxAnalytics(deps: Pick<Deps, "db" | "reads">, agents: Pick<AgentService, "get">) {
  const figures = createInboxFigures(deps);

  async function toRange(organizationId: string, query: Query): Promise<FigureRange> {
    const { agentId, timeZone = "UTC", ...given } = query;
    if (!isTimeZone(timeZone)) throw invalid("timeZone", "must be an IANA time zone such as Europe/Zurich", "format");
    if (agentId !== undefined) await agents.get(organizationId, agentId);
    return { organizationId, agentId, timeZone, ...parseRange(given) };
  }

  async function readNamed(range: FigureRange, group: NamedGroup) {
    return (await figures.groups(range, group)).map((row) => toNamed(row, group));
  }

  /** Agents with conversations, or with requests in conversations that started earlier. */
  async function readAgents(range: FigureRange): Promise<AgentRow[]> {
    const handed = await readNamed(range, "agent");
    const started = await figures.startedByAgent(range);
    const first = new Map((await figures.handedOverByAgent(range)).map((row) => [row.id, row.conversations]));
    const alone = new Map((await figures.ratingsAlone(range, "agent")).map(({ id, ...rating }) => [id, rating]));
    const known = new Map(handed.map((row) => [row.id, row]));
    const ids = new Set(started.map(({ id }) => id));
    const others = handed.filter(({ id }) => !ids.has(id)).map(({ id, name }) => ({ id, name, conversations: 0 }));
    return [...started, ...others].slice(0, MAX_GROUPS).map(({ id, name, conversations }) => {
      const handedOver = first.get(id) ?? 0;
      // Some of those that were handed over in the range started before it.
      const notHandedOver = Math.max(0, conversations - handedOver);
      const notHandedOverRate = conversations === 0 ? null : (notHandedOver / conversations) * 100;
      return {
        ...(known.get(id) ?? { id, name, ...noFigures }),
        conversations,
        notHandedOver,
        resolvedAlone: notHandedOver,
        handedOver,
        notHandedOverRate,
        resolvedAloneRate: notHandedOverRate,
        ratingAlone: alone.get(id) ?? noRating,
      };
    });
  }

  /** Days with requests, oldest first. */
  async function readDays(range: FigureRange): Promise<InboxAnalytics["days"]> {
    const rows = await figures.groups(range, "day");
    return rows
      .map(({ id, name: _name, ...row }) => ({ date: toUtcDay(Number(id) * DAY_MS), ...row }))
      .sort((a, b) => (a.date < b.date ? -1 : 1));
  }

  async function readHours(range: FigureRange): Promise<InboxAnalytics["hours"]> {
    const rows = await figures.groups(range, "hour");
    return Array.from({ length: 24 }, (_, hour) => {
      const { id: _id, name: _name, ...row } = rows.find(({ id }) => Number(id) === hour) ?? noGroup;
      return { hour, ...row };
    });
  }

  return {
    /** @throws 404 when the organization has no such agent, 400 when there is no such time zone */
    async read(organizationId: string, query: Query): Promise<InboxAnalytics> {
      const range = await toRange(organizationId, query);
      const { id: _id, name: _name, ...totals } = (await figures.totals(range)) ?? noGroup;
      const [{ id: _none, ...ratingAlone } = { id: null, ...noRating }] = await figures.ratingsAlone(range, null);
      return {
        from: range.from,
        to: range.to,
        totals,
        ratingAlone,
        members: await readNamed(range, "member"),
        teams: await readNamed(range, "team"),
        agents: await readAgents(range),
        days: await readDays(range),
        hours: await readHours(range),
      };
    },
    /**
     * The rows of a group as a CSV file.
     * @throws 404 when the organization has no such agent, 400 when there is no such time zone
     */
    async csv(organizationId: string, query: Query, group: InboxFigureGroup): Promise<Readable> {
      const range = await toRange(organizationId, query);
      if (group === "day") {
        const days = await readDays(range);
        return createCsvStream(
          ["date", ...figureColumns],
          toCsvRows(days, ({ date }) => [date]),
        );
      }
      if (group === "hour") {
        const hours = await readHours(range);
        return createCsvStream(
          ["hour", ...figureColumns],
          toCsvRows(hours, ({ hour }) => [hour]),
        );
      }
      const named = ({ id, name }: { id: string; name: string }) => [id, name];
      if (group !== "agent") {
        const rows = await readNamed(range, group);
        return createCsvStream(["id", "name", ...figureColumns], toCsvRows(rows, named));
      }
      const columns = ["id", "name", ...figureColumns, ...agentColumns];
      return createCsvStream(columns, toCsvRows(await readAgents(range), named, toAgentCells));
    },
  };
}

function toNamed({ id, name, ...row }: GroupFigures, group: NamedGroup) {
  const shown = name === null ? goneNames[group] : name.trim() || "Member";
  return { id: id ?? "", name: shown, ...row };
}

const noGroup: GroupFigures = { id: null, name: null, ...noFigures };

const figureColumns = [
  "requests",
  "answered",
  "ended",
  "reopened",
  "firstAnswerMedianMs",
  "firstAnswerP90Ms",
  "handlingMedianMs",
  "handlingP90Ms",
  "resolutionMedianMs",
  "resolutionP90Ms",
  "nextAnswersMet",
  "nextAnswersMissed",
  ...toRatingColumns("rating"),
];
const agentColumns = [
  "conversations",
  "resolvedAlone",
  "handedOver",
  "resolvedAloneRate",
  ...toRatingColumns("ratingAlone"),
];

type Cell = string | number | null;

function toRatingColumns(name: string): string[] {
  return ["Asked", "Rated", "ResponseRate", "Average", "1", "2", "3", "4", "5"].map((part) => `${name}${part}`);
}

function toRatingCells({ asked, rated, responseRate, average, scores }: RatingFigures): Cell[] {
  return [asked, rated, responseRate, average, ...scores];
}

function toAgentCells(row: AgentRow): Cell[] {
  const { conversations, resolvedAlone, handedOver, resolvedAloneRate, ratingAlone } = row;
  return [conversations, resolvedAlone, handedOver, resolvedAloneRate, ...toRatingCells(ratingAlone)];
}

/** @param toHead returns the first cells of a row, and `toTail` the last ones */
async function* toCsvRows<Row extends InboxFigures>(
  rows: readonly Row[],
  toHead: (row: Row) => Cell[],
  toTail: (row: Row) => Cell[] = () => [],
): AsyncGenerator<string[]> {
  for (const row of rows) {
    const { firstAnswerMs, handlingMs, resolutionMs } = row;
    const times = [firstAnswerMs, handlingMs, resolutionMs].flatMap(({ median, p90 }) => [median, p90]);
    const counts = [row.requests, row.answered, row.ended, row.reopened];
    const targets = [row.nextAnswersMet, row.nextAnswersMissed];
    const cells = [...toHead(row), ...counts, ...times, ...targets, ...toRatingCells(row.rating), ...toTail(row)];
    yield cells.map((cell) => String(cell ?? ""));
  }
}

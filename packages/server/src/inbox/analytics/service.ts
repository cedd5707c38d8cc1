import type { Readable } from "node:stream";
import type { InboxAnalytics, InboxFigureGroup, InboxFigures } from "@foyer/contract";
import type { AgentService } from "../../agents/service.ts";
import { type AnalyticsQuery, parseRange } from "../../conversations/analytics/range.ts";
import type { Deps } from "../../deps.ts";
import { createCsvStream } from "../../http/csv.ts";
import { createInboxFigures, type FigureRange, type GroupFigures } from "./store.ts";

export type InboxAnalyticsService = ReturnType<typeof createInboxAnalytics>;

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
};
/** What members, teams and agents are called when they are gone. */
const goneNames: Record<InboxFigureGroup, string> = {
  member: "Former member",
  team: "Deleted team",
  agent: "Deleted agent",
};

/** How members, teams and agents have worked on the conversations that were handed over to people. */
export function createInboxAnalytics(deps: Pick<Deps, "db" | "reads">, agents: Pick<AgentService, "get">) {
  const figures = createInboxFigures(deps);

  async function toRange(organizationId: string, { agentId, ...given }: AnalyticsQuery): Promise<FigureRange> {
    if (agentId !== undefined) await agents.get(organizationId, agentId);
    return { organizationId, agentId, ...parseRange(given) };
  }

  async function readNamed(range: FigureRange, group: InboxFigureGroup) {
    return (await figures.groups(range, group)).map((row) => toNamed(row, group));
  }

  /** Agents with conversations, or with requests in conversations that started earlier. */
  async function readAgents(range: FigureRange): Promise<InboxAnalytics["agents"]> {
    const handed = await readNamed(range, "agent");
    const started = await figures.startedByAgent(range);
    const first = await figures.handedOverByAgent(range);
    const known = new Map(handed.map((row) => [row.id, row]));
    const ofStarted = started.map(({ id, name, conversations: count }) => ({
      ...(known.get(id) ?? { id, name, ...noFigures }),
      conversations: count,
      // Some of those that were handed over in the range started before it.
      resolvedAlone: Math.max(0, count - (first.find((row) => row.id === id)?.conversations ?? 0)),
    }));
    const ids = new Set(ofStarted.map(({ id }) => id));
    const others = handed
      .filter(({ id }) => !ids.has(id))
      .map((row) => ({ ...row, conversations: 0, resolvedAlone: 0 }));
    return [...ofStarted, ...others];
  }

  return {
    /** @throws 404 when the organization has no such agent */
    async read(organizationId: string, query: AnalyticsQuery): Promise<InboxAnalytics> {
      const range = await toRange(organizationId, query);
      const totals = await figures.totals(range);
      const members = await readNamed(range, "member");
      const teams = await readNamed(range, "team");
      const byAgent = await readAgents(range);
      const days = await figures.days(range);
      const hours = await figures.hours(range);
      const { id: _id, name: _name, ...all } = totals ?? { id: null, name: null, ...noFigures };
      return {
        from: range.from,
        to: range.to,
        totals: all,
        members,
        teams,
        agents: byAgent,
        days,
        hours: Array.from({ length: 24 }, (_, hour) => {
          const found = hours.find((row) => row.hour === hour);
          return { hour, requests: found?.requests ?? 0, answered: found?.answered ?? 0 };
        }),
      };
    },
    /** The rows of a group as a CSV file. @throws 404 when the organization has no such agent */
    async csv(organizationId: string, query: AnalyticsQuery, group: InboxFigureGroup): Promise<Readable> {
      const range = await toRange(organizationId, query);
      const rows = group === "agent" ? await readAgents(range) : await readNamed(range, group);
      const counts = group === "agent" ? ["conversations", "resolvedAlone"] : [];
      return createCsvStream(["id", "name", ...csvColumns, ...counts], toCsvRows(rows));
    },
  };
}

function toNamed({ id, name, ...row }: GroupFigures, group: InboxFigureGroup) {
  const shown = name === null ? goneNames[group] : name.trim() || "Member";
  return { id: id ?? "", name: shown, ...row };
}

const csvColumns = [
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
];

type CsvRow = InboxFigures & { id: string; name: string; conversations?: number; resolvedAlone?: number };

async function* toCsvRows(rows: readonly CsvRow[]): AsyncGenerator<string[]> {
  for (const row of rows) {
    const { firstAnswerMs, handlingMs, resolutionMs } = row;
    const times = [firstAnswerMs, handlingMs, resolutionMs].flatMap(({ median, p90 }) => [median, p90]);
    const alone = row.conversations === undefined ? [] : [row.conversations, row.resolvedAlone];
    const counts = [row.requests, row.answered, row.ended, row.reopened];
    const cells = [...counts, ...times, row.nextAnswersMet, row.nextAnswersMissed, ...alone];
    yield [row.id, row.name, ...cells.map((cell) => String(cell ?? ""))];
  }
}

import type {
  AgentTestCheck,
  Replay,
  ReplayCreate,
  ReplayEstimate,
  ReplaySummary,
  ReplayTurn,
  ReplayVerdict,
} from "@foyer/contract";
import { type ReplayOutcome, replayLimits } from "@foyer/contract/rules/evaluations";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { AgentService } from "../../agents/service.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { ReplayTurnRow } from "../../db/tables/evaluations.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { createSharedWorker } from "../../jobs/shared-worker.ts";
import { toFunctionTool } from "../../tools/agent-tools.ts";
import type { AgentReader } from "../../versions/agent-at-version.ts";
import { readChecks } from "../checks.ts";
import type { DryRun } from "../dry-run/dry-run.ts";
import { type Estimated, estimateComparison, estimateLargestCall, estimateReply, suggestLimit } from "./estimate.ts";
import { listTurns, type RecordedTurn } from "./recorded-turn.ts";
import type { createTurnReplayer, ReplaySources } from "./replay-turn.ts";
import { createReplayRunner, findPrice } from "./run-replay.ts";
import { createReplayStore, type ReplaySummaryRow } from "./store.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** The replays that this process runs at the same time; an organization runs at most a quarter of them. */
const MAX_CONCURRENT = 8;
const PAGE_CONVERSATIONS = 100;

type Place = { organizationId: string; agentId: string };
type Query = { limit?: number; offset?: number };

export type ReplayService = ReturnType<typeof createReplayService>;

type Parts = {
  agents: Pick<AgentService, "get">;
  conversations: Pick<ConversationService, "list" | "existing" | "messagePages">;
  versions: Pick<AgentReader, "snapshot" | "restore">;
  dryRun: Pick<DryRun, "chooseModel">;
  replayTurn: ReturnType<typeof createTurnReplayer>;
};

/** Replays recorded conversations with two versions of an agent, in the background. */
export function createReplayService(deps: Deps, parts: Parts, sources: Omit<ReplaySources, "notesOf">) {
  const { prices, log } = deps;
  const { agents, conversations, versions, dryRun } = parts;
  const store = createReplayStore(deps);
  const worker = createSharedWorker({
    name: "replays",
    size: MAX_CONCURRENT,
    queue: store.queue,
    run: createReplayRunner(deps, { ...parts, store }),
    log,
    jobName: "replay",
    idOf: ({ id }) => id,
  });

  async function find(place: Place, id: string): Promise<ReplaySummaryRow> {
    const row = isId("replay", id) ? await store.get({ ...place, id }) : undefined;
    if (!row) throw notFound("Replay");
    return row;
  }

  /** The turns of the newest conversations that match. */
  async function sample(place: Place, { sample: given }: ReplayCreate, userId: string | null): Promise<RecordedTurn[]> {
    const { organizationId, agentId } = place;
    const filter = omitUndefined(omitNulls(given.filter ?? {}));
    const turns: RecordedTurn[] = [];
    for (let offset = 0; offset < given.n; offset += PAGE_CONVERSATIONS) {
      const limit = Math.min(PAGE_CONVERSATIONS, given.n - offset);
      const query = { test: false, ...filter, agentId, limit, offset };
      const { data } = await conversations.list(organizationId, query, userId);
      for (const { id } of data) {
        const messages = [];
        for await (const page of conversations.messagePages(id)) messages.push(...page);
        turns.push(...listTurns(id, messages));
        if (turns.length >= replayLimits.turns) return turns.slice(0, replayLimits.turns);
      }
      if (data.length < limit) break;
    }
    return turns;
  }

  /** @throws 400 when the version's price is unknown and the cost is limited */
  async function open(place: Place, snapshot: Awaited<ReturnType<AgentReader["snapshot"]>>): Promise<Estimated> {
    const { agent, tools } = await versions.restore(place, snapshot);
    const models = await dryRun.chooseModel(agent);
    const documents = await sources.documentsOf(agent, { mustSearch: models.model.source === null });
    const human = await sources.humanToolOf(agent, { id: "", handler: "agent" });
    const definitions = [
      ...tools.map(toFunctionTool),
      ...(human ? [human.tool] : []),
      ...(documents?.kind === "search" ? [documents.tool] : []),
    ];
    return {
      modelId: models.modelId,
      price: findPrice(models, await prices.ofOrganization(place.organizationId)),
      instructions: agent.systemPrompt?.length ?? 0,
      tools: definitions.length === 0 ? 0 : JSON.stringify(definitions).length,
      maxOutputTokens: agent.maxOutputTokens,
    };
  }

  async function estimate(
    place: Place,
    versionsOf: { from: Estimated; to: Estimated; isCompared: boolean },
    turns: readonly RecordedTurn[],
  ): Promise<{ estimate: ReplayEstimate; suggestedMaxCost: number | null }> {
    const { currency } = await prices.ofOrganization(place.organizationId);
    const steps = Map.groupBy(await store.steps(turns.map(({ messageId }) => messageId)), ({ messageId }) => messageId);
    const { from, to, isCompared } = versionsOf;
    let cost: number | null = 0;
    let largestCall = 0;
    for (const turn of turns) {
      const recorded = steps.get(turn.messageId) ?? [];
      const parts = [
        estimateReply(from, turn, recorded),
        estimateReply(to, turn, recorded),
        isCompared ? estimateComparison(from, turn) : 0,
      ];
      for (const part of parts) cost = cost === null || part === null ? null : cost + part;
      for (const version of [from, to]) {
        largestCall = Math.max(largestCall, estimateLargestCall(version, turn, recorded) ?? 0);
      }
    }
    return {
      estimate: { cost, currency, turns: turns.length },
      suggestedMaxCost: cost === null ? null : suggestLimit(cost, largestCall),
    };
  }

  return {
    worker,
    async list(place: Place, query: Query) {
      await agents.get(place.organizationId, place.agentId);
      const page = toPage(query);
      const rows = await store.list(place, page);
      const total = await store.count(place);
      return { data: rows.map(toSummary), pagination: { total, ...page }, error: null };
    },
    /**
     * Estimates a replay, and starts it unless `isDryRun`.
     * @param userId the member who makes the request, for `assignee=me`
     * @throws 400 when a version does not exist, or its model has no price; 409 when too many replays run
     */
    async create(
      place: Place,
      input: ReplayCreate,
      { isDryRun, userId }: { isDryRun: boolean; userId: string | null },
    ): Promise<{ id: string | null; estimate: ReplayEstimate; suggestedMaxCost: number | null }> {
      const checks = validate(input);
      const fromSnapshot = await versions.snapshot(place, input.from, "from");
      const toSnapshot = await versions.snapshot(place, input.to, "to");
      const [from, to] = [await open(place, fromSnapshot), await open(place, toSnapshot)];
      const unpriced = [from, to].find(({ price }) => price === null);
      if (unpriced && input.maxCost !== null) {
        throw invalid("maxCost", `must be null, because the price of ${unpriced.modelId} is not known`, "not_allowed");
      }
      const turns = await sample(place, input, userId);
      const isCompared = input.compare === true;
      const priced = await estimate(place, { from, to, isCompared }, turns);
      if (isDryRun) return { id: null, ...priced };
      const id = newId("replay");
      const now = Date.now();
      const row = {
        ...place,
        id,
        status: "running" as const,
        problem: null,
        fromVersion: String(input.from),
        toVersion: String(input.to),
        fromSnapshot: JSON.stringify(fromSnapshot),
        toSnapshot: JSON.stringify(toSnapshot),
        checks: JSON.stringify(checks),
        isCompared: isCompared ? (1 as const) : (0 as const),
        maxCost: input.maxCost,
        estimate: JSON.stringify(priced.estimate),
        cost: 0,
        pendingCost: 0,
        createdAt: now,
        finishedAt: null,
        dueAt: now,
        fence: 0,
      };
      if (
        !(await store.insert(
          row,
          turns.map(({ conversationId, messageId }) => ({ conversationId, messageId })),
        ))
      ) {
        const problem = `${replayLimits.running} replays of your organization are running. Wait for one, or delete it.`;
        throw new AppError("CONFLICT", problem);
      }
      worker.notify();
      return { id, ...priced };
    },
    async get(place: Place, id: string, { outcome, ...query }: Query & { outcome?: ReplayOutcome }): Promise<Replay> {
      const row = await find(place, id);
      const page = toPage(query);
      const sums = await store.sums(row);
      const countOf = (wanted: ReplayOutcome) => Number(sums.find((sum) => sum.outcome === wanted)?.n ?? 0);
      const add = (name: Exclude<keyof (typeof sums)[number], "outcome">) =>
        sums.reduce((total, sum) => total + Number(sum[name] ?? 0), 0);
      const turns = await store.turns(row, { ...page, ...omitUndefined({ outcome }) });
      const questions = await store.questions(turns);
      const verdicts = await store.verdicts(row);
      const countVerdicts = (column: "verdict" | "modelVerdict") => {
        const count = (wanted: ReplayVerdict) =>
          verdicts.reduce((total, row) => total + (row[column] === wanted ? Number(row.n) : 0), 0);
        return { baseline: count("baseline"), candidate: count("candidate"), tie: count("tie") };
      };
      return {
        ...toSummary(row),
        summary: {
          identical: countOf("identical"),
          equal: countOf("equal"),
          diverged: countOf("diverged"),
          failedChecks: countOf("failed_checks"),
          baselineDiverged: add("baselineDiverged"),
        },
        totals: {
          baseline: { tokens: add("baselineTokens"), cost: add("baselineCost"), durationMs: add("baselineMs") },
          candidate: { tokens: add("candidateTokens"), cost: add("candidateCost"), durationMs: add("candidateMs") },
        },
        verdicts: countVerdicts("verdict"),
        modelVerdicts: countVerdicts("modelVerdict"),
        turns: turns.map((turn) => toTurn(turn, questions)),
        pagination: { total: outcome === undefined ? add("n") : countOf(outcome), ...page },
      };
    },
    async delete(place: Place, id: string): Promise<void> {
      if (!isId("replay", id) || !(await store.delete({ ...place, id }))) throw notFound("Replay");
    },
    async setVerdict(
      place: Place,
      { replayId, messageId }: { replayId: string; messageId: string },
      verdict: ReplayVerdict | null,
    ): Promise<ReplayTurn> {
      const row = await store.setVerdict(await find(place, replayId), messageId, verdict);
      if (!row) throw notFound("Turn of the replay");
      return toTurn(row, await store.questions([row]));
    },
  };
}

/** @throws 400 */
function validate({ checks }: ReplayCreate): AgentTestCheck[] {
  const read = readChecks(checks ?? []);
  const judge = read.findIndex(({ kind }) => kind === "judge");
  if (judge >= 0) throw invalid(`checks.${judge}.kind`, "is only for tests; send `compare` instead", "not_allowed");
  return read;
}

function omitNulls<T extends object>(filter: T) {
  type Given = { [Name in keyof T]: Exclude<T[Name], null> };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null)) as Given;
}

function toPage({ limit = DEFAULT_LIMIT, offset = 0 }: Query) {
  return { limit: Math.min(limit, MAX_LIMIT), offset };
}

function toSummary(row: ReplaySummaryRow): ReplaySummary {
  return {
    id: row.id,
    status: row.status,
    problem: row.problem,
    from: toVersion(row.fromVersion),
    to: toVersion(row.toVersion),
    maxCost: row.maxCost,
    estimate: JSON.parse(row.estimate),
    cost: row.cost,
    createdAt: new Date(row.createdAt).toISOString(),
    finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
  };
}

const toVersion = (version: string) => (version === "draft" ? version : Number(version));

/** @param questions the visitors' messages by the ids of the replies */
function toTurn({ messageId, outcome, baseline, candidate, ...row }: ReplayTurnRow, questions: Map<string, string>) {
  return {
    conversationId: row.conversationId,
    messageId,
    question: questions.get(messageId) ?? "",
    outcome: outcome ?? "equal",
    baseline: JSON.parse(baseline ?? "{}"),
    candidate: JSON.parse(candidate ?? "{}"),
    modelVerdict: row.modelVerdict,
    verdict: row.verdict,
  };
}

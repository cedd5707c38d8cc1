import type { AgentTestCheck } from "@foyer/contract";
import type { Logger } from "pino";
import type { ConversationService } from "../../conversations/service.ts";
import type { ReplayRow } from "../../db/tables/evaluations.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import type { ModelChain } from "../../models/model-chain.ts";
import type { Price } from "../../models/prices/cost.ts";
import type { PriceList } from "../../models/prices/service.ts";
import type { AgentReader } from "../../versions/agent-at-version.ts";
import type { DryRun } from "../dry-run/dry-run.ts";
import { runConcurrently } from "../run-concurrently.ts";
import { listFormulas, type SaidReply } from "./facts.ts";
import { CostLimitError, createMeter } from "./meter.ts";
import { listToolPieces, listTurns } from "./recorded-turn.ts";
import { type createTurnReplayer, hasDiverged, type ReplayedVersion } from "./replay-turn.ts";
import type { ReplayStore } from "./store.ts";

/** The conversations of one replay that are replayed at the same time. */
const MAX_CONCURRENT = 4;

type Parts = {
  store: ReplayStore;
  conversations: Pick<ConversationService, "existing" | "messagePages">;
  versions: Pick<AgentReader, "restore">;
  dryRun: Pick<DryRun, "chooseModel">;
  replayTurn: ReturnType<typeof createTurnReplayer>;
};

type Planned = Awaited<ReturnType<ReplayStore["plan"]>>[number];

/** @returns a function that runs a leased replay, from where it was interrupted, until all turns are done */
export function createReplayRunner({ prices, log }: Pick<Deps, "prices"> & { log: Logger }, parts: Parts) {
  const { store, conversations, versions, dryRun, replayTurn } = parts;

  /** @throws AppError when the version's model cannot be asked */
  async function open(job: ReplayRow, snapshot: string): Promise<ReplayedVersion> {
    const version = await versions.restore(job, JSON.parse(snapshot));
    const models = await dryRun.chooseModel(version.agent);
    return { ...version, models, price: findPrice(models, await prices.ofOrganization(job.organizationId)) };
  }

  async function readTurns(job: ReplayRow, conversationId: string) {
    const conversation = await conversations.existing(job, conversationId);
    const messages = [];
    for await (const page of conversations.messagePages(conversationId)) messages.push(...page);
    return { conversation, turns: listTurns(conversationId, messages) };
  }

  /** The sentences that the agent says again and again in the whole sample. */
  async function readFormulas(job: ReplayRow, ids: readonly string[]): Promise<Set<string>> {
    const replies: SaidReply[] = [];
    for (const id of ids) {
      const read = await ignoreMissing(() => readTurns(job, id));
      for (const turn of read?.turns ?? []) {
        replies.push({ text: turn.reply.content, calls: listToolPieces(turn).map(({ name }) => name) });
      }
    }
    return listFormulas(replies);
  }

  async function run(job: ReplayRow, signal: AbortSignal): Promise<void> {
    const spent = await store.takeOver(job);
    const meter = createMeter({ maxCost: job.maxCost, spent, record: (change) => store.addCost(job, change) });
    const plan = await store.plan(job);
    const byConversation = Map.groupBy(plan, ({ conversationId }) => conversationId);
    const formulas = await readFormulas(job, [...byConversation.keys()]);
    const checks: AgentTestCheck[] = JSON.parse(job.checks);

    async function replayConversation([id, planned]: [string, Planned[]], both: AbortSignal): Promise<void> {
      const todo = planned.filter(({ outcome }) => outcome === null);
      const read = todo.length === 0 ? undefined : await ignoreMissing(() => readTurns(job, id));
      if (!read) return;
      // Asked for each conversation, so that a budget that is used up ends the replay.
      const baseline = await open(job, job.fromSnapshot);
      const candidate = await open(job, job.toSnapshot);
      const steps = await store.steps(todo.map(({ messageId }) => messageId));
      for (const { position, messageId } of todo) {
        both.throwIfAborted();
        const turn = read.turns.find((one) => one.messageId === messageId);
        if (!turn) continue;
        const ofReply = steps.filter((step) => step.messageId === messageId);
        const { conversation } = read;
        const given = { conversation, turn, steps: ofReply, formulas };
        const shared = { baseline, candidate, checks, isCompared: job.isCompared === 1, meter, signal: both, log };
        const done = await replayTurn(position, given, shared);
        const endsConversation = hasDiverged(done);
        await store.save(job, done, { endsConversation });
        if (endsConversation) return;
      }
    }

    await runConcurrently(byConversation.entries(), { size: MAX_CONCURRENT, signal }, replayConversation);
  }

  return async (job: ReplayRow, signal: AbortSignal): Promise<void> => {
    try {
      await run(job, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CostLimitError) return store.end(job, { status: "stopped", problem: error.message });
      if (!(error instanceof AppError)) throw error;
      return store.end(job, { status: "stopped", problem: error.message });
    }
    await store.end(job, { status: "finished", problem: null });
  };
}

/** What a model costs, or null if that is unknown. The built-in demo calls no provider. */
export function findPrice({ model, modelId }: ModelChain, { find }: PriceList): Price | null {
  return model.source === null ? { input: 0, cachedInput: 0, output: 0 } : (find(modelId) ?? null);
}

async function ignoreMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

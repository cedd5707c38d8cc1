import { setTimeout as wait } from "node:timers/promises";
import type { AgentTestResult, AgentTestRun, AgentTestRunSummary } from "@foyer/contract";
import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { HOUR_MS } from "@foyer/contract/rules/time";
import type { AgentService } from "../../agents/service.ts";
import type { AgentTestRow } from "../../db/tables/evaluations.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, MAX_DETAILS, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { createSharedWorker } from "../../jobs/shared-worker.ts";
import type { AgentReader } from "../../versions/agent-at-version.ts";
import { serialize } from "../../versions/content.ts";
import type { DryRun } from "../dry-run/dry-run.ts";
import { createTestRunStore, type TestRunStore, type TestRunSummaryRow } from "./run-store.ts";
import type { createTestRunner } from "./run-test.ts";
import { createTestsRunner } from "./run-tests.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;
/** The runs that this process works on at the same time; those of an organization are at most a quarter. */
const MAX_CONCURRENT = 8;
/** How long a response waits for a run. Proxies cut requests after 60 s or less. */
const WAIT_MS = 20_000;
const LONGEST_PAUSE_MS = 500;
/** Documents and models change, so what has passed counts only for a while. */
const COUNTS_FOR_MS = HOUR_MS;

type Place = { organizationId: string; agentId: string };
type RunOptions = { version: number | string; repeat: number; testIds?: readonly string[] | undefined };

export type TestRunService = ReturnType<typeof createTestRunService>;

type Parts = {
  agents: Pick<AgentService, "get">;
  readTests(place: Place): Promise<AgentTestRow[]>;
  versions: Pick<AgentReader, "snapshot" | "restore">;
  dryRun: Pick<DryRun, "chooseModel">;
  runTest: ReturnType<typeof createTestRunner>;
};

/** Runs the tests of agents in the background. */
export function createTestRunService(deps: Pick<Deps, "db" | "databaseKind" | "log">, parts: Parts) {
  const { agents, readTests, versions, dryRun } = parts;
  const store = createTestRunStore(deps);
  const worker = createSharedWorker({
    name: "agent_tests",
    size: MAX_CONCURRENT,
    queue: store.queue,
    run: createTestsRunner({ ...parts, store, log: deps.log }),
    log: deps.log,
    jobName: "run of tests",
    idOf: ({ id }) => id,
  });

  async function find(place: Place, id: string): Promise<TestRunSummaryRow> {
    const row = isId("run", id) ? await store.get({ ...place, id }) : undefined;
    if (!row) throw notFound("Run of tests");
    return row;
  }

  /**
   * @param isAwaited whether the agent is to be published if the tests pass
   * @throws 400 when there is no such version or test, 409 when the budget is used up or too many runs wait
   */
  async function begin(
    place: Place,
    { version, repeat, testIds }: RunOptions,
    { isAwaited }: { isAwaited: boolean },
  ): Promise<TestRunSummaryRow> {
    const snapshot = await versions.snapshot(place, version);
    const rows = await readTests(place);
    const unknown = testIds?.find((id) => !rows.some((row) => row.id === id));
    if (unknown !== undefined) throw invalid("testIds", `${unknown} is no test of this agent`, "unknown_reference");
    const tests = testIds ? rows.filter(({ id }) => testIds.includes(id)) : rows;
    if (tests.length > 0) await dryRun.chooseModel((await versions.restore(place, snapshot)).agent);
    const now = Date.now();
    const isEmpty = tests.length === 0;
    const row = {
      ...place,
      id: newId("run"),
      status: isEmpty ? ("finished" as const) : ("running" as const),
      problem: null,
      version: String(version),
      snapshot: JSON.stringify(snapshot),
      hash: serialize(snapshot.content).hash,
      repeat,
      isAwaited: isAwaited ? (1 as const) : (0 as const),
      createdAt: now,
      finishedAt: isEmpty ? now : null,
      dueAt: isEmpty ? null : now,
      fence: 0,
    };
    const plan = tests.flatMap(({ id }) => Array.from({ length: repeat }, () => id));
    if (!(await store.insert(row, plan))) {
      const problem = `${agentTestLimits.running} runs of tests of your organization wait or run. Wait for one, or stop it.`;
      throw new AppError("CONFLICT", problem);
    }
    worker.notify();
    return row;
  }

  /** Waits up to 20 s for the end of the run. @returns the run as it is then */
  async function waitForEnd(place: Place, run: TestRunSummaryRow, signal: AbortSignal): Promise<TestRunSummaryRow> {
    const endsAt = performance.now() + WAIT_MS;
    let current = run;
    for (let pause = 10; current.status === "running" && performance.now() < endsAt && !signal.aborted; ) {
      await wait(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      current = await find(place, run.id);
    }
    return current;
  }

  /** The run that says whether this content may be published, or undefined when the tests must run for it. */
  async function findCounting(place: Place, hash: string): Promise<TestRunSummaryRow | undefined> {
    const found = await store.newestOf(place, { hash, since: Date.now() - COUNTS_FOR_MS });
    if (!found || found.status === "stopped") return undefined;
    const tests = await readTests(place);
    const outcomes = await store.outcomes(found);
    const ran = new Set(outcomes.map(({ testId }) => testId));
    const isComplete = tests.every(({ id, updatedAt }) => ran.has(id) && updatedAt <= found.createdAt);
    const hasFailed = outcomes.some(({ failures }) => failures !== null && failures !== "[]");
    // What has failed runs again, unless somebody still waits for this result.
    return isComplete && (!hasFailed || found.isAwaited === 1) ? found : undefined;
  }

  return {
    worker,
    async list(place: Place, { limit = DEFAULT_LIMIT, offset = 0 }: { limit?: number; offset?: number }) {
      await agents.get(place.organizationId, place.agentId);
      const page = { limit: Math.min(limit, MAX_LIMIT), offset };
      const rows = await store.list(place, page);
      const total = await store.count(place);
      return { data: rows.map(toSummary), pagination: { total, ...page }, error: null };
    },
    async get(place: Place, id: string): Promise<AgentTestRun> {
      return toRun(store, await find(place, id));
    },
    /** Begins a run. With `waits`, returns when it has ended, or after 20 s. */
    async run(
      place: Place,
      options: RunOptions,
      { waits, signal }: { waits: boolean; signal: AbortSignal },
    ): Promise<AgentTestRun> {
      const begun = await begin(place, options, { isAwaited: false });
      return toRun(store, waits ? await waitForEnd(place, begun, signal) : begun);
    },
    async stop(place: Place, id: string): Promise<AgentTestRun> {
      await find(place, id);
      await store.stop({ ...place, id }, "The run was stopped.");
      return toRun(store, await find(place, id));
    },
    /**
     * Requires that all tests pass with the draft, which has this hash. Runs them unless they have just run.
     * @throws 409 with the names of those that fail, or TESTS_RUNNING when it takes longer than a response can wait
     */
    async requirePassing(
      place: Place,
      { hash, waits, signal }: { hash: string; waits: boolean; signal: AbortSignal },
    ): Promise<void> {
      const counting = await findCounting(place, hash);
      const begun = counting ?? (await begin(place, { version: "draft", repeat: 1 }, { isAwaited: true }));
      if (begun.status === "running") await store.setAwaited({ ...place, id: begun.id }, true);
      const ended = waits ? await waitForEnd(place, begun, signal) : begun;
      const { status, problem, results, done, total } = await toRun(store, ended);
      if (status === "running") {
        const progress = `The tests of this agent are running: ${done} of ${total} are done.`;
        throw new AppError("TESTS_RUNNING", `${progress} Publish again when they have ended; they do not run twice.`);
      }
      await store.setAwaited({ ...place, id: ended.id }, false);
      if (status === "stopped") throw new AppError("CONFLICT", `The tests of this agent did not end. ${problem ?? ""}`);
      refuseFailed(results.filter(({ passed }) => !passed));
    },
  };
}

/** @throws 409 with the names of the failed tests */
function refuseFailed(failed: readonly AgentTestResult[]): void {
  if (failed.length === 0) return;
  const shown = failed.slice(0, MAX_DETAILS);
  const details = shown.map(({ name, failures: [first] }) => ({
    path: `tests.${name}`,
    code: "invalid" as const,
    message: `${first?.check?.kind ?? "reply"}: ${first?.got ?? ""}`,
  }));
  const names = shown.map(({ name }) => name).join(", ");
  throw new AppError("CONFLICT", `Tests of this agent fail with the draft: ${names}.`, { details });
}

async function toRun(store: TestRunStore, row: TestRunSummaryRow): Promise<AgentTestRun> {
  const outcomes = await store.outcomes(row);
  const byTest = Map.groupBy(outcomes, ({ testId }) => testId);
  const needed = row.status === "stopped" ? 1 : row.repeat;
  return {
    ...toSummary(row),
    testIds: [...byTest.keys()],
    done: outcomes.filter(({ failures }) => failures !== null).length,
    total: outcomes.length,
    results: [...byTest].map(([testId, ofTest]) => toResult(testId, ofTest)).filter(({ runs }) => runs >= needed),
  };
}

function toSummary(row: TestRunSummaryRow): AgentTestRunSummary {
  return {
    id: row.id,
    status: row.status,
    problem: row.problem,
    version: row.version === "draft" ? row.version : Number(row.version),
    repeat: row.repeat,
    createdAt: new Date(row.createdAt).toISOString(),
    finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
  };
}

function toResult(testId: string, outcomes: ReadonlyArray<{ name: string; failures: string | null }>): AgentTestResult {
  const runs = outcomes.flatMap(
    ({ failures }): Array<AgentTestResult["failures"]> => (failures === null ? [] : [JSON.parse(failures)]),
  );
  const passes = runs.filter((failures) => failures.length === 0).length;
  const byCheck = new Map(runs.flat().map((failure) => [JSON.stringify(failure.check), failure]));
  return {
    testId,
    name: outcomes[0]?.name ?? "",
    passed: passes === runs.length,
    passes,
    runs: runs.length,
    failures: [...byCheck.values()],
  };
}

import type { Logger } from "pino";
import type { AgentTestRow, AgentTestRunRow } from "../../db/tables/evaluations.ts";
import { AppError } from "../../errors.ts";
import type { AgentReader } from "../../versions/agent-at-version.ts";
import type { DryRun } from "../dry-run/dry-run.ts";
import { runConcurrently } from "../run-concurrently.ts";
import type { TestRunStore } from "./run-store.ts";
import type { createTestRunner } from "./run-test.ts";

/** The tests of one run that run at the same time. */
const MAX_CONCURRENT = 4;

type Parts = {
  store: TestRunStore;
  readTests(place: { organizationId: string; agentId: string }): Promise<AgentTestRow[]>;
  versions: Pick<AgentReader, "restore">;
  dryRun: Pick<DryRun, "chooseModel">;
  runTest: ReturnType<typeof createTestRunner>;
  log: Logger;
};

/** @returns a function that runs the tests of a leased run, from where it was interrupted, until all are done */
export function createTestsRunner({ store, readTests, versions, dryRun, runTest, log }: Parts) {
  async function run(job: AgentTestRunRow, given: AbortSignal): Promise<void> {
    const version = await versions.restore(job, JSON.parse(job.snapshot));
    const tests = new Map((await readTests(job)).map((test) => [test.id, test]));
    const todo = (await store.outcomes(job)).filter(({ failures }) => failures === null);
    await runConcurrently(todo, { size: MAX_CONCURRENT, signal: given }, async ({ position, testId }, signal) => {
      const test = tests.get(testId);
      if (!test) return;
      // Asked for each test, so that a budget that is used up ends the run.
      const models = await dryRun.chooseModel(version.agent);
      const failures = await runTest(test, { version, models, signal, log });
      await store.save(job, { position, failures: JSON.stringify(failures) });
    });
  }

  return async (job: AgentTestRunRow, signal: AbortSignal): Promise<void> => {
    try {
      await run(job, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      return store.end(job, { status: "stopped", problem: error.message });
    }
    await store.end(job, { status: "finished", problem: null });
  };
}

import type { AgentTestResult } from "@foyer/contract";
import { useEffect, useRef, useState } from "react";
import { api } from "../../data/api.ts";

/** What a test has done in the last run of the page: it waits or runs, has a result, or could not run. */
export type TestRun = { result: AgentTestResult | null; error: string | null };

export type RunOptions = { version: number | "draft"; repeat: number };

/** The tests that run at the same time. An organization has four places for them. */
const CONCURRENT = 2;

/** Runs tests one by one, so that each result appears when it is there. Leaving the page ends the run. */
export function useTestRuns(agentId: string) {
  const [runs, setRuns] = useState<ReadonlyMap<string, TestRun>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  async function start(testIds: readonly string[], options: RunOptions): Promise<void> {
    const stopped = new AbortController();
    current.current = stopped;
    const queue = testIds.values();
    const put = (id: string, run: TestRun) => setRuns((before) => new Map(before).set(id, run));
    setRunning(true);
    setRuns(new Map(testIds.map((id) => [id, { result: null, error: null }])));
    const work = async () => {
      for (const id of queue) {
        if (stopped.signal.aborted) return;
        const input = { id: agentId, body: { ...options, testIds: [id] } };
        try {
          const { results } = await api.runAgentTests(input, { signal: stopped.signal });
          put(id, { result: results[0] ?? null, error: null });
        } catch (error) {
          if (!stopped.signal.aborted) put(id, { result: null, error: (error as Error).message });
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, work));
    // A stopped run leaves the tests without a result that have none.
    setRuns((before) => new Map([...before].filter(([, { result, error }]) => result !== null || error !== null)));
    setRunning(false);
  }

  return { runs, isRunning, start, stop: () => current.current?.abort() };
}

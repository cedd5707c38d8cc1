import type { AgentTestResult, AgentTestRun } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";

/** What a test has done in a run: it waits or runs, or has a result. */
export type TestRun = { result: AgentTestResult | null };

export type RunOptions = { version: number | "draft"; repeat: number };

const POLL_MS = 1_000;

/** Starts runs of tests, which continue when the page is left, and follows the newest one. */
export function useTestRuns(agentId: string, { resumes }: { resumes: boolean }) {
  const [startedId, setStartedId] = useState<string | null>(null);
  const newest = useQuery({ ...endpointQuery("listAgentTestRuns", { id: agentId, limit: 1 }), enabled: resumes });
  const runId = startedId ?? (resumes ? newest.data?.data[0]?.id : undefined);
  const followed = useQuery({
    ...endpointQuery("getAgentTestRun", { id: agentId, runId: runId ?? "" }),
    enabled: runId !== undefined,
    refetchInterval: ({ state: { data } }) => (data?.status === "running" ? POLL_MS : false),
  });
  const begin = useEndpointMutation("runAgentTests", { changes: ["listAgentTestRuns"] });
  const stopRun = useEndpointMutation("stopAgentTestRun", { changes: ["getAgentTestRun"] });
  const run = runId === undefined ? undefined : followed.data;

  return {
    run,
    runs: toTestRuns(run),
    isRunning: begin.isPending || (runId !== undefined && (followed.isPending || run?.status === "running")),
    async start(testIds: readonly string[], options: RunOptions): Promise<void> {
      const { id } = await begin.mutateAsync({ id: agentId, body: { ...options, testIds: [...testIds], wait: false } });
      setStartedId(id);
    },
    stop: () => {
      if (runId !== undefined) stopRun.mutate({ id: agentId, runId });
    },
  };
}

/** A stopped run leaves the tests that have not run without an entry. */
function toTestRuns(run: AgentTestRun | undefined): ReadonlyMap<string, TestRun> {
  if (!run) return new Map();
  const results = new Map(run.results.map((result) => [result.testId, result]));
  const shown = run.testIds.filter((id) => run.status === "running" || results.has(id));
  return new Map(shown.map((id) => [id, { result: results.get(id) ?? null }]));
}

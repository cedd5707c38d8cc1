import type { AgentService } from "../agents/service.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import { createTokenBudgets } from "../plans/token-budget.ts";
import { createAgentReader } from "../versions/agent-at-version.ts";
import { createQuestion } from "./ask-question.ts";
import { createDryRun } from "./dry-run/dry-run.ts";
import { createTurnReplayer, type ReplaySources } from "./replays/replay-turn.ts";
import { replayRoutes } from "./replays/routes.ts";
import { createReplayService } from "./replays/service.ts";
import { agentTestRoutes } from "./tests/routes.ts";
import { createTestRunService } from "./tests/run-service.ts";
import { createTestRunner, type TestSources } from "./tests/run-test.ts";
import { createAgentTestService } from "./tests/service.ts";

export type Evaluations = ReturnType<typeof createEvaluations>;

type Parts = { agents: AgentService; conversations: ConversationService };

/** What tries an agent out before its visitors get a change: its tests, and replays of recorded conversations. */
export function createEvaluations(deps: Deps, { agents, conversations }: Parts, sources: TestSources & ReplaySources) {
  const budgets = createTokenBudgets(deps);
  const dryRun = createDryRun(deps, budgets);
  const ask = createQuestion(deps, budgets);
  const parts = { agents, conversations, versions: createAgentReader(deps, agents), dryRun };
  const runTest = createTestRunner(dryRun, ask, sources);
  const replayTurn = createTurnReplayer(dryRun, ask, sources);
  const tests = createAgentTestService(deps, parts);
  const testRuns = createTestRunService(deps, { ...parts, readTests: tests.all, runTest });
  const replays = createReplayService(deps, { ...parts, replayTurn }, sources);
  return { tests, testRuns, replays, workers: [testRuns.worker, replays.worker] };
}

export function evaluationRoutes(app: App, { tests, testRuns, replays }: Evaluations): void {
  agentTestRoutes(app, tests, testRuns);
  replayRoutes(app, replays);
}

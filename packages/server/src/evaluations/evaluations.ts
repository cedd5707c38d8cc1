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
  return {
    tests: createAgentTestService(deps, { ...parts, runTest }),
    replays: createReplayService(deps, { ...parts, replayTurn }, sources),
  };
}

export function evaluationRoutes(app: App, { tests, replays }: Evaluations): void {
  agentTestRoutes(app, tests);
  replayRoutes(app, replays);
}

import type { AgentService } from "../agents/service.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Deps } from "../deps.ts";
import { createTokenBudgets } from "../plans/token-budget.ts";
import { createAgentReader } from "../versions/agent-at-version.ts";
import { createQuestion } from "./ask-question.ts";
import { createDryRun } from "./dry-run/dry-run.ts";
import { createTestRunner, type TestSources } from "./tests/run-test.ts";
import { createAgentTestService } from "./tests/service.ts";

export type Evaluations = ReturnType<typeof createEvaluations>;

type Parts = { agents: AgentService; conversations: ConversationService };

/** What tries an agent out before its visitors get a change: its tests. */
export function createEvaluations(deps: Deps, { agents, conversations }: Parts, sources: TestSources) {
  const budgets = createTokenBudgets(deps);
  const dryRun = createDryRun(deps, budgets);
  const agentAt = createAgentReader(deps, agents);
  const runTest = createTestRunner(dryRun, createQuestion(deps, budgets), sources);
  return { tests: createAgentTestService(deps, { agents, conversations, agentAt, dryRun, runTest }) };
}

import type { Agent, AgentTest, AgentTestRun } from "@foyer/contract";
import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { ButtonLink, IconButton } from "../../components/button.tsx";
import { ListPreview } from "../../components/empty-previews.tsx";
import { Page, Section } from "../../components/page.tsx";
import { pluralize } from "../../components/plural.ts";
import { EmptyState, ErrorState, SkeletonRows } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { DeleteTest } from "./delete-test.tsx";
import { PublishRule } from "./publish-rule.tsx";
import { RunControls } from "./run-controls.tsx";
import { RunFailures, RunStatus } from "./run-result.tsx";
import { TestTabs } from "./test-tabs.tsx";
import { type TestRun, useTestRuns } from "./use-test-runs.ts";

const route = getRouteApi("/shell/agents/$agentId/tests");

/** The tests of an agent, their results, and whether publishing requires them to pass. */
export function TestsPage() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const tests = useQuery(endpointQuery("listAgentTests", { id: agentId, limit: agentTestLimits.tests }));
  const isFull = (tests.data?.pagination.total ?? 0) >= agentTestLimits.tests;
  const create = (
    <ButtonLink variant="main" to="/agents/$agentId/tests/new" params={{ agentId }}>
      Create test
    </ButtonLink>
  );
  return (
    <Page
      isWide
      title="Tests"
      description="A test plays a short conversation with the agent and checks the replies. No tool runs, and nothing is sent or counted in analytics."
      actions={tests.data && tests.data.data.length > 0 && !isFull && create}
    >
      <TestTabs agentId={agentId} />
      {tests.isPending && <SkeletonRows label="Loading tests" />}
      {tests.error && <ErrorState error={tests.error} onRetry={() => void tests.refetch()} />}
      {tests.data?.data.length === 0 && (
        <EmptyState title="No tests yet" action={create} preview={<ListPreview />}>
          <p>
            Write down what the agent must and must not say, and run it before you publish a change. You can also open a
            conversation and keep it as a test.
          </p>
        </EmptyState>
      )}
      {tests.data && tests.data.data.length > 0 && <Tests key={agentId} agent={agent} tests={tests.data.data} />}
    </Page>
  );
}

function Tests({ agent, tests }: { agent: Agent; tests: readonly AgentTest[] }) {
  const { run, runs, isRunning, start, stop } = useTestRuns(agent.id, { resumes: true });
  const [deleting, setDeleting] = useState<AgentTest | null>(null);
  return (
    <>
      <Section title={pluralize(tests.length, "test")} description={summarize(runs, run)}>
        <RunControls
          agent={agent}
          label="Run all tests"
          isRunning={isRunning}
          onStart={(options) => {
            const testIds = tests.map(({ id }) => id);
            void start(testIds, options);
          }}
          onStop={stop}
        />
        <ul aria-label="Tests" className="border-t border-line">
          {tests.map((test) => (
            <Row
              key={test.id}
              test={test}
              agentId={agent.id}
              run={runs.get(test.id)}
              onDelete={() => setDeleting(test)}
            />
          ))}
        </ul>
      </Section>
      <Section title="Publishing">
        <PublishRule agent={agent} />
      </Section>
      <DeleteTest agentId={agent.id} test={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function Row({
  test: { id, name, turns, checks, conversationId },
  agentId,
  run,
  onDelete,
}: {
  test: AgentTest;
  agentId: string;
  run: TestRun | undefined;
  onDelete: () => void;
}) {
  const hasJudge = checks.some(({ kind }) => kind === "judge");
  const facts = [
    pluralize(turns.length, "message"),
    pluralize(checks.length, "check"),
    ...(hasJudge ? ["judged by the model"] : []),
    ...(conversationId ? ["from a conversation"] : []),
  ];
  return (
    <li className="grid gap-2 border-b border-line py-2">
      <div className="flex min-h-10 items-center gap-x-4">
        <div className="min-w-0 flex-1">
          <Link
            to="/agents/$agentId/tests/$testId"
            params={{ agentId, testId: id }}
            className="font-medium wrap-anywhere underline-offset-2 hover:underline"
          >
            {name}
          </Link>
          <p className="text-sm text-soft">{facts.join(" · ")}</p>
        </div>
        <RunStatus run={run} />
        <IconButton label={`Delete ${name}`} onClick={onDelete}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </div>
      <RunFailures run={run} />
    </li>
  );
}

/** What the newest run has found. */
function summarize(runs: ReadonlyMap<string, TestRun>, run: AgentTestRun | undefined): string {
  if (!run) return "Models do not answer the same way twice, so run important tests more than once.";
  const done = [...runs.values()].filter(({ result }) => result !== null);
  const passed = done.filter(({ result }) => result?.passed).length;
  if (run.status === "running") return `Running: ${done.length} of ${pluralize(runs.size, "test")} done.`;
  const found =
    passed === done.length
      ? `${done.length === 1 ? "The test" : `All ${done.length} tests`} passed.`
      : `${passed} of ${pluralize(done.length, "test")} passed.`;
  return run.status === "stopped" ? `${run.problem ?? "The run was stopped."} ${found}` : found;
}

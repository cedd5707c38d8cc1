import type { Agent, AgentTest } from "@foyer/contract";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { BackLink } from "../../components/back-link.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { DeleteSection } from "../../components/delete-section.tsx";
import { Page, Section } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { DeleteTest } from "./delete-test.tsx";
import { RunControls } from "./run-controls.tsx";
import { RunFailures, RunStatus } from "./run-result.tsx";
import { emptyTest, toBody, toDraft } from "./test-draft.ts";
import { TestForm } from "./test-form.tsx";
import { useTestRuns } from "./use-test-runs.ts";

const newRoute = getRouteApi("/shell/agents/$agentId/tests/new");
const route = getRouteApi("/shell/agents/$agentId/tests/$testId");

/** A new test, written by hand. */
export function NewTestPage() {
  const { agentId } = newRoute.useParams();
  const navigate = useNavigate();
  const [first] = useState(emptyTest);
  const draft = useDraft(first);
  const create = useEndpointMutation("createAgentTest", { changes: ["listAgentTests"], done: "Test created" });
  return (
    <Page
      title="New test"
      back={<AllTests agentId={agentId} />}
      actions={
        <ButtonLink to="/agents/$agentId/tests" params={{ agentId }}>
          Cancel
        </ButtonLink>
      }
    >
      <TestForm
        agentId={agentId}
        draft={draft}
        onSave={async (values) => {
          const { id } = await create.mutateAsync({ id: agentId, body: toBody(values) });
          await navigate({
            to: "/agents/$agentId/tests/$testId",
            params: { agentId, testId: id },
            ignoreBlocker: true,
          });
        }}
      >
        <SaveBar
          isNew
          isDirty={draft.isDirty}
          isBusy={draft.isBusy}
          onDiscard={() => draft.reset()}
          label="Create test"
        />
      </TestForm>
    </Page>
  );
}

/** One test: what it contains, and how it runs. */
export function TestPage() {
  const { agentId, testId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { data: test } = useSuspenseQuery(endpointQuery("getAgentTest", { id: agentId, testId }));
  return <TestEditor key={testId} agent={agent} test={test} />;
}

function TestEditor({ agent, test }: { agent: Agent; test: AgentTest }) {
  const { id: testId, name, conversationId } = test;
  const agentId = agent.id;
  const navigate = useNavigate();
  const draft = useDraft(useMemo(() => toDraft(test), [test]));
  const update = useEndpointMutation("updateAgentTest", {
    changes: ["listAgentTests", "getAgentTest"],
    done: "Saved",
  });
  const { runs, isRunning, start, stop } = useTestRuns(agentId, { resumes: false });
  const [isDeleting, setDeleting] = useState(false);
  const run = runs.get(testId);
  const leave = () => {
    // Otherwise leaving would ask about unsaved changes of a deleted test.
    flushSync(() => draft.reset());
    return navigate({ to: "/agents/$agentId/tests", params: { agentId } });
  };
  return (
    <Page
      title={name}
      back={<AllTests agentId={agentId} />}
      description={
        conversationId && (
          <>
            Kept from{" "}
            <Link
              to="/agents/$agentId/conversations/$conversationId"
              params={{ agentId, conversationId }}
              className="underline underline-offset-2"
            >
              a conversation
            </Link>
            . The test is deleted with it.
          </>
        )
      }
    >
      <TestForm
        agentId={agentId}
        draft={draft}
        onSave={async (values) => update.mutateAsync({ id: agentId, testId, body: toBody(values) })}
      >
        <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
      </TestForm>
      <div className="mt-4 border-t border-line pt-6">
        <Section title="Run" description={draft.isDirty ? "Save the test first." : undefined}>
          <RunControls
            agent={agent}
            label="Run test"
            isRunning={isRunning}
            disabled={draft.isDirty}
            onStart={(options) => void start([testId], options)}
            onStop={stop}
          />
          {run && (
            <div role="status" className="grid gap-3">
              <RunStatus run={run} />
              <RunFailures run={run} />
            </div>
          )}
        </Section>
      </div>
      <DeleteSection
        title="Delete test"
        description="The test no longer runs, and publishing no longer requires it."
        action={`Delete ${name}`}
        onDelete={() => setDeleting(true)}
      />
      <DeleteTest
        agentId={agentId}
        test={isDeleting ? test : null}
        onClose={() => setDeleting(false)}
        onDeleted={leave}
      />
    </Page>
  );
}

function AllTests({ agentId }: { agentId: string }) {
  return (
    <BackLink to="/agents/$agentId/tests" params={{ agentId }}>
      All tests
    </BackLink>
  );
}

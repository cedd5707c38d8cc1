import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Page, Section } from "../../components/page.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../components/states.tsx";
import { SigningSecretDialog } from "./signing-secret-dialog.tsx";
import { useAllTools } from "./use-all-tools.ts";
import { WebhookSamples } from "./webhook-samples.tsx";
import { type Form, WebhooksTable } from "./webhooks-table.tsx";

const AGENTS_AT_ONCE = 50;

/** Every form of every agent, where its submissions go, and what proves to the receiver that they come from here. */
export function WebhooksPage() {
  const [count, setCount] = useState(AGENTS_AT_ONCE);
  const { byAgent, hasMore, isLoading, error, retry } = useAllTools(count);
  const [open, setOpen] = useState<Form | null>(null);
  const forms = byAgent.flatMap(({ agent, tools }) =>
    tools.filter(({ executionType }) => executionType === "form").map((tool) => ({ agent, tool })),
  );
  return (
    <Page
      title="Webhooks"
      description="Each form sends its submissions to an address of yours, signed with a secret of its own."
    >
      {error && <ErrorState error={error} onRetry={retry} />}
      {isLoading && <SkeletonRows count={3} label="Loading forms" />}
      {!isLoading && !error && forms.length === 0 && <NoForms firstAgentId={byAgent[0]?.agent.id} />}
      {!isLoading && forms.length > 0 && <WebhooksTable forms={forms} onSecret={setOpen} />}
      {hasMore && (
        <Button className="mt-4" onClick={() => setCount(count + AGENTS_AT_ONCE)}>
          Show the forms of more agents
        </Button>
      )}
      <div className="mt-10">
        <Section
          title="Check the signature"
          description={
            <>
              The signatures follow{" "}
              <a
                href="https://www.standardwebhooks.com"
                target="_blank"
                rel="noreferrer"
                className="text-ink underline underline-offset-2"
              >
                Standard Webhooks
              </a>
              , so its libraries work too. Without a library it takes these lines. A delivery can come twice: know it
              again by <code>webhook-id</code>.
            </>
          }
        >
          <WebhookSamples />
        </Section>
      </div>
      {open && <SigningSecretDialog form={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

function NoForms({ firstAgentId }: { firstAgentId: string | undefined }) {
  const action = firstAgentId ? (
    <ButtonLink
      look="main"
      to="/agents/$agentId/tools/new"
      params={{ agentId: firstAgentId }}
      search={{ kind: "form" }}
    >
      Make a form
    </ButtonLink>
  ) : (
    <ButtonLink look="main" to="/start">
      Make an agent
    </ButtonLink>
  );
  return (
    <EmptyState title="No forms yet" action={action}>
      An agent can show a form in the chat, such as one for a test ride. Once there is one, its webhook and its signing
      secret stand here.
    </EmptyState>
  );
}

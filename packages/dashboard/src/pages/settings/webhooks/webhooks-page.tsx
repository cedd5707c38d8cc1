import { useState } from "react";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { type AgentForm, useAllTools } from "../use-all-tools.ts";
import { EventFeedSection } from "./event-feed.tsx";
import { EventWebhooks } from "./event-webhooks.tsx";
import { FormSecretDialog } from "./signing-secret-dialog.tsx";
import { WebhookSamples } from "./webhook-samples.tsx";
import { WebhooksTable } from "./webhooks-table.tsx";

const AGENTS_AT_ONCE = 50;

/** Where conversation events and form submissions are sent, and how receivers verify them. */
export function WebhooksPage() {
  return (
    <Page
      isWide
      title="Webhooks"
      description="Foyer sends events and form submissions to your servers. Every request is signed."
    >
      <EventWebhooks />
      <EventFeedSection />
      <FormWebhooks />
      <Section
        title="Verify signatures"
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
            , so its libraries work. Without a library, use this code. A delivery can arrive more than once: use{" "}
            <code>webhook-id</code> to detect duplicates.
          </>
        }
      >
        <WebhookSamples />
      </Section>
    </Page>
  );
}

/** All forms with their webhooks. */
function FormWebhooks() {
  const [count, setCount] = useState(AGENTS_AT_ONCE);
  const { byAgent, hasMore, isLoading, error, retry } = useAllTools(count);
  const [open, setOpen] = useState<AgentForm | null>(null);
  const forms = byAgent.flatMap(({ agent, tools }) =>
    tools.filter(({ executionType }) => executionType === "form").map((tool) => ({ agent, tool })),
  );
  return (
    <Section title="Form submissions" description="Each form has its own endpoint.">
      {error && <ErrorState error={error} onRetry={retry} />}
      {isLoading && <SkeletonRows count={3} label="Loading forms" />}
      {!isLoading && !error && forms.length === 0 && <NoForms firstAgentId={byAgent[0]?.agent.id} />}
      {!isLoading && forms.length > 0 && <WebhooksTable forms={forms} onSecret={setOpen} />}
      {hasMore && (
        <div>
          <Button onClick={() => setCount(count + AGENTS_AT_ONCE)}>Show forms of more agents</Button>
        </div>
      )}
      {open && <FormSecretDialog form={open} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function NoForms({ firstAgentId }: { firstAgentId: string | undefined }) {
  const action = firstAgentId ? (
    <ButtonLink
      variant="main"
      to="/agents/$agentId/tools/new"
      params={{ agentId: firstAgentId }}
      search={{ kind: "form" }}
    >
      Create form
    </ButtonLink>
  ) : (
    <ButtonLink variant="main" to="/start">
      Create agent
    </ButtonLink>
  );
  return (
    <EmptyState
      title="No forms yet"
      action={action}
      preview={<TablePreview columns={["Form", "Webhook", "Last delivery"]} />}
    >
      Agents can show forms in the chat. Once you have one, its webhook and signing secret appear here.
    </EmptyState>
  );
}

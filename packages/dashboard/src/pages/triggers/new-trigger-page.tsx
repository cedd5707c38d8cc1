import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Page } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { emptyDraft, type TriggerDraft, toBody, toDraft } from "./trigger-draft.ts";
import { TriggerForm } from "./trigger-form.tsx";

const route = getRouteApi("/shell/agents/$agentId/triggers/new");

/** A new trigger, empty or from the template in the URL. */
export function NewTriggerPage() {
  const { agentId } = route.useParams();
  const { template: templateId } = route.useSearch();
  const templates = useQuery({
    ...endpointQuery("listTriggerTemplates", { agentId }),
    enabled: templateId !== undefined,
  });
  const template = templates.data?.find(({ id }) => id === templateId);
  if (templateId && templates.isPending) {
    return (
      <Page title="New trigger" isWide>
        <SkeletonRows />
      </Page>
    );
  }
  if (templateId && templates.error) {
    return (
      <Page title="New trigger" isWide>
        <ErrorState error={templates.error} onRetry={() => templates.refetch()} />
      </Page>
    );
  }
  // A template that no longer exists, such as one for a deleted form, leaves the fields empty.
  return (
    <NewTrigger
      key={`${agentId} ${templateId ?? ""}`}
      agentId={agentId}
      first={template ? toDraft(template) : emptyDraft}
    />
  );
}

function NewTrigger({ agentId, first: given }: { agentId: string; first: TriggerDraft }) {
  // A refetched template must not overwrite what the user has entered.
  const [first] = useState(given);
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const navigate = useNavigate();
  const draft = useDraft(first);
  const edits = useAgentEdits(agentId, draft);
  const create = useEndpointMutation("createTrigger", {
    edits,
    changes: ["listTriggers", "getTriggerStats"],
    done: "Trigger created",
  });
  const save = async (values: TriggerDraft) => {
    const { id } = await create.mutateAsync({ agentId, body: toBody(values) });
    await navigate({
      to: "/agents/$agentId/triggers/$triggerId",
      params: { agentId, triggerId: id },
      ignoreBlocker: true,
    });
  };
  return (
    <Page
      title="New trigger"
      isWide
      description={first.name ? `Based on the template “${first.name}”. Nothing runs until you create it.` : undefined}
      actions={
        <ButtonLink to="/agents/$agentId/triggers" params={{ agentId }}>
          Cancel
        </ButtonLink>
      }
    >
      <TriggerForm agent={agent} draft={draft} onSave={save}>
        {!draft.isDirty && (
          <Button type="submit" variant="main" isBusy={draft.isBusy}>
            Create trigger
          </Button>
        )}
        <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} label="Create trigger" />
      </TriggerForm>
    </Page>
  );
}

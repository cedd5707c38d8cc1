import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { BackLink } from "../../components/back-link.tsx";
import { DeleteSection } from "../../components/delete-section.tsx";
import { Page } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { DeleteTrigger } from "./delete-trigger.tsx";
import { DuplicateTrigger } from "./duplicate-trigger.tsx";
import { toChanges, toDraft } from "./trigger-draft.ts";
import { TriggerFigures } from "./trigger-figures.tsx";
import { TriggerForm } from "./trigger-form.tsx";
import { describeCondition } from "./trigger-labels.ts";

const route = getRouteApi("/shell/agents/$agentId/triggers/$triggerId");

/** The settings and statistics of one trigger. */
export function TriggerPage() {
  const { triggerId } = route.useParams();
  return <TriggerEditor key={triggerId} />;
}

function TriggerEditor() {
  const { agentId, triggerId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { data: trigger } = useSuspenseQuery(endpointQuery("getTrigger", { id: triggerId }));
  const navigate = useNavigate();
  const draft = useDraft(useMemo(() => toDraft(trigger), [trigger]));
  const edits = useAgentEdits(agentId, draft);
  const update = useEndpointMutation("updateTrigger", {
    edits,
    changes: ["listTriggers", "getTrigger"],
    done: "Saved",
  });
  const [isDeleting, setDeleting] = useState(false);
  const leave = () => {
    // Otherwise leaving would ask about unsaved changes of a deleted trigger.
    flushSync(() => draft.reset());
    return navigate({ to: "/agents/$agentId/triggers", params: { agentId } });
  };
  return (
    <Page
      title={trigger.name}
      isWide
      description={describeCondition(trigger)}
      actions={<DuplicateTrigger trigger={trigger} />}
      back={
        <BackLink to="/agents/$agentId/triggers" params={{ agentId }}>
          All triggers
        </BackLink>
      }
    >
      <TriggerFigures agentId={agentId} triggerId={triggerId} />
      <TriggerForm
        agent={agent}
        draft={draft}
        onSave={(values, changed) => update.mutateAsync({ id: triggerId, body: toChanges(changed, values) })}
      >
        <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
      </TriggerForm>
      <DeleteSection
        title="Delete trigger"
        description="The trigger stops running within seconds. Its statistics are deleted too."
        action={`Delete ${trigger.name}`}
        onDelete={() => setDeleting(true)}
      />
      <DeleteTrigger
        agentId={agentId}
        trigger={isDeleting ? trigger : null}
        onClose={() => setDeleting(false)}
        onDeleted={leave}
      />
    </Page>
  );
}

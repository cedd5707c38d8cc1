import { arrayMove } from "@dnd-kit/sortable";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ButtonLink } from "../../components/button.tsx";
import { ListPreview } from "../../components/empty-previews.tsx";
import { Page, Section } from "../../components/page.tsx";
import { EmptyState } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { DeleteTrigger } from "./delete-trigger.tsx";
import { SortableTriggers } from "./sortable-triggers.tsx";
import { firstDay } from "./trigger-days.ts";
import type { Trigger } from "./trigger-labels.ts";
import { columns, TriggerRow } from "./trigger-row.tsx";
import { TriggerTemplates } from "./trigger-templates.tsx";
import { useTriggerChanges } from "./use-trigger-changes.ts";

const route = getRouteApi("/shell/agents/$agentId/triggers");

/** The agent's triggers in the order in which they run, and templates for more. */
export function TriggersPage() {
  const { agentId } = route.useParams();
  const { data: triggers } = useSuspenseQuery(endpointQuery("listTriggers", { agentId }));
  const add = (
    <ButtonLink variant="main" to="/agents/$agentId/triggers/new" params={{ agentId }}>
      Create trigger
    </ButtonLink>
  );
  return (
    <Page
      isWide
      title="Triggers"
      description="Let the agent start the conversation. Triggers are checked from top to bottom, one at a time. Numbers cover the last 30 days."
      actions={triggers.length > 0 && add}
    >
      {triggers.length > 0 ? (
        <TriggerList agentId={agentId} triggers={triggers} />
      ) : (
        <div className="pb-6">
          <EmptyState title="No triggers yet" action={add} preview={<ListPreview />}>
            <p>
              Triggers let the agent start the conversation: with a bubble after 20 seconds on a page, a form when a
              visitor is about to leave, or the chat when a cart gets large. Start with a template below or from
              scratch.
            </p>
          </EmptyState>
        </div>
      )}
      <Section
        title="Templates"
        description="A template fills in the editor. Nothing runs until you create the trigger."
      >
        <TriggerTemplates agentId={agentId} />
      </Section>
    </Page>
  );
}

function TriggerList({ agentId, triggers }: { agentId: string; triggers: Trigger[] }) {
  const navigate = useNavigate();
  const { busy, toggle, reorder } = useTriggerChanges(agentId);
  const { data: stats } = useQuery(endpointQuery("getTriggerStats", { agentId, from: firstDay(30) }));
  const { data: tools } = useQuery(endpointQuery("listTools", { agentId }));
  const [triggerToDelete, setTriggerToDelete] = useState<Trigger | null>(null);
  const formName = ({ actionConfig: { toolId } }: Trigger) =>
    tools && (tools.find(({ id, executionType }) => id === toolId && executionType === "form")?.name ?? null);
  const itemsFor = (trigger: Trigger, at: number) => [
    {
      label: "Edit",
      onSelect: () =>
        navigate({ to: "/agents/$agentId/triggers/$triggerId", params: { agentId, triggerId: trigger.id } }),
    },
    { label: "Move up", disabled: at === 0, onSelect: () => reorder(arrayMove(triggers, at, at - 1)) },
    {
      label: "Move down",
      disabled: at === triggers.length - 1,
      onSelect: () => reorder(arrayMove(triggers, at, at + 1)),
    },
    null,
    { label: `Delete ${trigger.name}`, isDanger: true, onSelect: () => setTriggerToDelete(trigger) },
  ];
  return (
    <div className="pb-8">
      <Head />
      <SortableTriggers triggers={triggers} onReorder={reorder}>
        <ol aria-label="Triggers, in the order in which they run">
          {triggers.map((trigger, at) => (
            <TriggerRow
              key={trigger.id}
              trigger={trigger}
              formName={formName(trigger)}
              counts={stats && (stats[trigger.id] ?? { firedCount: 0, convertedCount: 0 })}
              isBusy={busy.has(trigger.id)}
              items={itemsFor(trigger, at)}
              onToggle={() => toggle(trigger)}
            />
          ))}
        </ol>
      </SortableTriggers>
      <DeleteTrigger agentId={agentId} trigger={triggerToDelete} onClose={() => setTriggerToDelete(null)} />
    </div>
  );
}

function Head() {
  return (
    <div className={`grid gap-x-2 border-b border-line text-sm text-soft ${columns}`}>
      <p className="col-start-1 col-end-3 hidden py-2 ps-11 md:block">Trigger</p>
      {["Fired", "Converted", "Rate"].map((name) => (
        <p key={name} aria-hidden className="hidden py-2 text-end md:block" title="In the last 30 days">
          {name}
        </p>
      ))}
      <p className="hidden py-2 md:col-start-6 md:col-end-8 md:block">Enabled</p>
    </div>
  );
}

import {
  type WebhookEventType,
  webhookEventDescriptions,
  webhookEventTypes,
} from "@foyer/contract/rules/webhook-events";
import type { ReactNode } from "react";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import type { WebhookDraft } from "./webhook-draft.ts";

type Fields = {
  values: WebhookDraft;
  change: (part: Partial<WebhookDraft>) => void;
  errorAt: (path: string) => string | undefined;
};

/** Selects which events are sent, with a description of each. */
export function EventsField({ values: { events }, change, errorAt }: Fields) {
  const isAll = events.includes("*");
  const toggle = (type: WebhookEventType, isChosen: boolean) =>
    change({
      events: webhookEventTypes.filter((one) => (one === type ? isChosen : events.includes(one))),
    });
  return (
    <ChoiceList
      label="Events"
      error={errorAt("events")}
      control={
        <SegmentedControl
          label="Which events"
          value={isAll ? "all" : "some"}
          onChange={(which) => change({ events: which === "all" ? ["*"] : [...webhookEventTypes] })}
          options={[
            { value: "all", label: "All events" },
            { value: "some", label: "Selected" },
          ]}
        />
      }
    >
      {webhookEventTypes.map((type) => (
        <Choice
          key={type}
          name={<code className="font-mono">{type}</code>}
          note={webhookEventDescriptions[type]}
          isChosen={isAll || events.includes(type)}
          isDisabled={isAll}
          onToggle={(isChosen) => toggle(type, isChosen)}
        />
      ))}
    </ChoiceList>
  );
}

/** Selects the agents whose events are sent. An event without an agent, such as `visitor.erased`, is always sent. */
export function AgentsField({
  values: { hasAllAgents, agentIds },
  change,
  errorAt,
  agents,
}: Fields & { agents: ReadonlyArray<{ id: string; name: string }> }) {
  const toggle = (id: string, isChosen: boolean) =>
    change({ agentIds: isChosen ? [...agentIds, id] : agentIds.filter((other) => other !== id) });
  return (
    <ChoiceList
      label="Agents"
      error={errorAt("agentIds")}
      control={
        <SegmentedControl
          label="Which agents"
          value={hasAllAgents ? "all" : "some"}
          onChange={(which) => change({ hasAllAgents: which === "all", agentIds })}
          options={[
            { value: "all", label: "All agents" },
            { value: "some", label: "Selected" },
          ]}
        />
      }
    >
      {!hasAllAgents &&
        agents.map(({ id, name }) => (
          <Choice key={id} name={name} isChosen={agentIds.includes(id)} onToggle={(isChosen) => toggle(id, isChosen)} />
        ))}
    </ChoiceList>
  );
}

function ChoiceList({
  label,
  control,
  error,
  children,
}: {
  label: string;
  control: ReactNode;
  error: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{label}</legend>
      {control}
      {error && (
        <p role="alert" className="text-sm text-wrong">
          {error}
        </p>
      )}
      {children && <div className="rounded-lg border border-line">{children}</div>}
    </fieldset>
  );
}

function Choice({
  name,
  note,
  isChosen,
  isDisabled = false,
  onToggle,
}: {
  name: ReactNode;
  note?: string;
  isChosen: boolean;
  isDisabled?: boolean;
  onToggle: (isChosen: boolean) => void;
}) {
  return (
    <label className="flex min-h-10 items-start gap-3 border-line px-3 py-2 not-first:border-t has-enabled:cursor-pointer">
      <input
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-ink"
        checked={isChosen}
        disabled={isDisabled}
        onChange={(event) => onToggle(event.target.checked)}
      />
      <span className="min-w-0 wrap-anywhere">
        {name}
        {note && <span className="block text-sm text-soft">{note}</span>}
      </span>
    </label>
  );
}

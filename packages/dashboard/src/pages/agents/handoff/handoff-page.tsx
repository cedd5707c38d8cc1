import type { HandoffSettings } from "@foyer/contract";
import { handoffSettingsLimits } from "@foyer/contract/rules/limits";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { NumberField, Select, Toggle } from "../../../components/field.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { SaveBar } from "../../../components/save-bar.tsx";
import { useDraft } from "../../../components/use-draft.ts";
import { useAgentEdits } from "../../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { dropEmpty, ListField } from "../list-field.tsx";
import { EscalationField } from "./escalation-field.tsx";
import { OfficeHoursFields } from "./office-hours-fields.tsx";

const route = getRouteApi("/shell/agents/$agentId/handoff");

/** Whether, when and how the agent hands a conversation over to a member. */
export function HandoffPage() {
  const { agentId } = route.useParams();
  return <HandoffEditor key={agentId} />;
}

function HandoffEditor() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const draft = useDraft(agent.handoff, "handoff.");
  const edits = useAgentEdits(agentId, draft);
  const save = useEndpointMutation("updateAgent", { edits, done: "Saved" });
  const { values, change } = draft;
  const fields: Fields = { values, change, errorAt: (name) => draft.errorAt(`handoff.${name}`) };
  return (
    <Page
      title="Handoff"
      description={`Visitors can talk to a person instead of ${agent.name}. Your team answers them in Conversations, and the agent doesn't reply while a person has the conversation.`}
    >
      <form
        ref={draft.form}
        noValidate
        aria-label="Handoff"
        onSubmit={(event) => {
          event.preventDefault();
          void draft.submit((_, { events, ...changed }) =>
            save.mutateAsync({
              id: agentId,
              body: { handoff: { ...changed, ...(events ? { events: dropEmpty(events) } : {}) } },
            }),
          );
        }}
      >
        <Section title="Requesting a person">
          <Toggle
            label={`Let ${agent.name} hand over to people`}
            help="The agent requests a person when it cannot help or the visitor wants one. Members can always take a conversation over."
            value={values.isEnabled}
            onChange={(isEnabled) => change({ isEnabled })}
          />
          {values.isEnabled && <NobodyNotified />}
          {values.isEnabled && <WaitingFields {...fields} />}
        </Section>
        {values.isEnabled && (
          <>
            <Section
              title="Office hours"
              description="Outside these hours, visitors can leave an email address and get your answer there."
            >
              <OfficeHoursFields
                help="Without hours, visitors are told that your team is always available."
                value={values.hours}
                onChange={(hours) => change({ hours })}
                errorAt={(path) => draft.errorAt(`handoff.hours${path && `.${path}`}`)}
              />
            </Section>
            <RulesSection {...fields} />
            <TeamSection {...fields} />
            <Section
              title="Who is notified"
              description="Notify one member at a time. If nobody takes the request within the reply time, the next member is notified."
            >
              <EscalationField
                value={values.escalation}
                onChange={(escalation) => change({ escalation })}
                error={fields.errorAt("escalation")}
              />
            </Section>
          </>
        )}
        <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
      </form>
    </Page>
  );
}

/** Warns that members learn of waiting visitors only in an open dashboard. */
function NobodyNotified() {
  const reach = useQuery(endpointQuery("getNoticeReach")).data;
  if (!reach || reach.email + reach.push + reach.channels > 0) return null;
  return (
    <div role="status" className="rounded-lg border border-warning bg-raised px-4 py-3">
      <p className="max-w-[70ch]">
        <strong className="font-semibold">No member can be notified.</strong> Set SMTP_URL, add a channel, or turn on a
        device. Until then, your team sees waiting visitors only in an open dashboard.
      </p>
      <Link to="/settings/notices" className="underline underline-offset-2">
        Notification settings
      </Link>
    </div>
  );
}

type Fields = {
  values: HandoffSettings;
  change: (part: Partial<HandoffSettings>) => void;
  errorAt: (name: keyof HandoffSettings | `events.${number}`) => string | undefined;
};

function WaitingFields({ values, change, errorAt }: Fields) {
  return (
    <>
      <Toggle
        label="Show the button “Talk to a person”"
        help="In the widget, below the conversation."
        value={values.hasButton}
        onChange={(hasButton) => change({ hasButton })}
      />
      <Select
        label="While a visitor waits"
        className="max-w-96"
        value={values.whileWaiting}
        onChange={(whileWaiting) => change({ whileWaiting })}
        options={[
          { value: "agent", label: "The agent keeps answering" },
          { value: "silent", label: "The agent doesn't reply" },
        ]}
        error={errorAt("whileWaiting")}
      />
      <NumberField
        label="Reply time (minutes)"
        isOptional
        help="Visitors see “Someone usually answers within 10 minutes”. Leave it empty to promise nothing."
        min={1}
        max={handoffSettingsLimits.promiseMinutes}
        step={1}
        inputMode="numeric"
        className="max-w-28"
        value={values.promiseMinutes}
        onChange={(promiseMinutes) => change({ promiseMinutes })}
        error={errorAt("promiseMinutes")}
      />
    </>
  );
}

/** Which team the agent's requests wait for. Hidden in an organization without teams. */
function TeamSection({ values, change, errorAt }: Fields) {
  const teams = useQuery(endpointQuery("listTeams")).data ?? [];
  if (teams.length === 0) return null;
  return (
    <Section title="Team" description="Requests wait for this team, by its assignment, office hours and targets.">
      <Select
        label="Team"
        className="max-w-96"
        value={values.teamId ?? ""}
        onChange={(teamId) => change({ teamId: teamId === "" ? null : teamId })}
        options={[{ value: "", label: "Everyone" }, ...teams.map(({ id, name }) => ({ value: id, label: name }))]}
        error={errorAt("teamId")}
      />
    </Section>
  );
}

function RulesSection({ values, change, errorAt }: Fields) {
  const count = {
    min: 1,
    max: handoffSettingsLimits.ruleCount,
    step: 1,
    inputMode: "numeric",
    className: "max-w-28",
  } as const;
  return (
    <Section title="Rules" description="Request a person automatically. Leave a field empty to turn its rule off.">
      <div className="grid gap-5 sm:grid-cols-2">
        <NumberField
          {...count}
          label="Bad ratings"
          help="Request a person after this many bad ratings in a conversation."
          value={values.badRatings}
          onChange={(badRatings) => change({ badRatings })}
          error={errorAt("badRatings")}
        />
        <NumberField
          {...count}
          label="Failed tool calls"
          help="Request a person after this many failed tool calls in a conversation."
          value={values.failedTools}
          onChange={(failedTools) => change({ failedTools })}
          error={errorAt("failedTools")}
        />
        <NumberField
          {...count}
          label="Failed replies"
          help="Request a person after this many failed replies in a row."
          value={values.failedReplies}
          onChange={(failedReplies) => change({ failedReplies })}
          error={errorAt("failedReplies")}
        />
      </div>
      <ListField
        label="Page events"
        itemLabel="Event"
        addLabel="Add event"
        max={handoffSettingsLimits.events}
        placeholder="checkout_failed"
        emptyText="No page event requests a person."
        help="The name of an event that a custom event trigger reacts to. It requests a person in the visitor's open conversation."
        values={values.events}
        onChange={(events) => change({ events })}
        errorAt={(index) => errorAt(`events.${index}`)}
      />
    </Section>
  );
}

import type { Output } from "@foyer/sdk";
import type { ReactNode } from "react";
import { NumberField, TextArea, TextField, Toggle } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import type { useDraft } from "../../components/use-draft.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { ActionFields } from "./trigger-action-fields.tsx";
import type { TriggerDraft } from "./trigger-draft.ts";
import { TriggerPreview } from "./trigger-preview.tsx";

/** The settings of a trigger next to a preview. `children` are rendered at the end of the form. */
export function TriggerForm({
  agent,
  draft,
  onSave,
  children,
}: {
  agent: Output<"getAgent">;
  draft: ReturnType<typeof useDraft<TriggerDraft>>;
  onSave: (values: TriggerDraft, changed: Partial<TriggerDraft>) => Promise<unknown>;
  children: ReactNode;
}) {
  const { values, errorAt, change } = draft;
  const fields = { values, errorAt, change };
  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_340px]">
      <form
        ref={draft.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void draft.submit(onSave);
        }}
      >
        <Section title="Condition">
          <ConditionFields {...fields} />
        </Section>
        <Section title="Action">
          <ActionFields agentId={agent.id} {...fields} />
        </Section>
        <Section title="Settings">
          <GeneralFields agent={agent} {...fields} />
        </Section>
        {children}
      </form>
      <aside aria-label="Preview" className="lg:sticky lg:top-8">
        <TriggerPreview agent={agent} values={values} />
      </aside>
    </div>
  );
}

function GeneralFields({
  agent,
  values,
  errorAt,
  change,
}: Parameters<typeof ConditionFields>[0] & { agent: Output<"getAgent"> }) {
  return (
    <>
      <TextField
        label="Name"
        help="Only you see this name."
        value={values.name}
        onChange={(name) => change({ name })}
        error={errorAt("name")}
      />
      <TextArea
        label="Description"
        isOptional
        value={values.description}
        onChange={(description) => change({ description })}
        error={errorAt("description")}
        rows={2}
        className="min-h-16"
      />
      <Toggle
        label="Once per visit"
        help="Off: fires on every page view, or on every matching event."
        value={values.triggerOnce}
        onChange={(triggerOnce) => change({ triggerOnce })}
      />
      <Toggle
        label="Enabled"
        help={
          agent.publishing === "manual"
            ? "Visitors get changes when you publish the draft."
            : "Changes go live within seconds."
        }
        value={values.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
      <NumberField
        label="Priority"
        help="Lower numbers run first. Drag triggers in the list to change it."
        value={values.priority}
        onChange={(priority) => change({ priority })}
        error={errorAt("priority")}
        step="any"
        className="max-w-40"
      />
    </>
  );
}

import type { Retention } from "@foyer/contract";
import { AdminFields } from "../../components/admin-fields.tsx";
import { NumberField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";

const retentionKinds = [
  { kind: "conversations", label: "Conversations", help: "After the last message.", max: 36_500 },
  { kind: "submissions", label: "Form submissions", help: undefined, max: 36_500 },
  { kind: "files", label: "Submitted files", help: "The submissions themselves are kept.", max: 36_500 },
  {
    kind: "events",
    label: "Events",
    help: "Trigger events (90 days at most) and webhook events (30 days at most).",
    max: 90,
  },
] as const;

/** For how many days the agent's data is kept. */
export function RetentionSection({
  values,
  onChange,
  errorAt,
}: {
  values: Retention;
  onChange: (retention: Retention) => void;
  errorAt: (path: string) => string | undefined;
}) {
  return (
    <Section
      title="Retention"
      description="Deletes data this many days after it was stored. Leave a field empty to keep the data."
    >
      <AdminFields>
        <div className="grid gap-5 sm:grid-cols-2">
          {retentionKinds.map(({ kind, label, help, max }) => (
            <NumberField
              key={kind}
              label={`${label} (days)`}
              help={help}
              min={1}
              max={max}
              step={1}
              inputMode="numeric"
              placeholder={kind === "events" ? "90" : "Keep"}
              value={values[kind]}
              onChange={(days) => onChange({ ...values, [kind]: days })}
              error={errorAt(`retention.${kind}`)}
            />
          ))}
        </div>
      </AdminFields>
    </Section>
  );
}

import type { FieldValidation, FormField } from "@foyer/contract";
import { NumberField, TextField, Toggle } from "../../../components/field.tsx";
import { withPart } from "../row-key.ts";
import { rulesOf } from "./field-kinds.ts";

type RuleName = ReturnType<typeof rulesOf>[number];

const labels: Record<RuleName, string> = {
  minLength: "At least, in characters",
  maxLength: "At most, in characters",
  pattern: "Pattern (regular expression)",
  min: "At least",
  max: "At most",
};

const dateLabels: Partial<Record<RuleName, string>> = { min: "Not before", max: "Not after" };

/** What an answer has to be, and what visitors are told when it is not. */
export function FieldRules({
  type,
  rules,
  onChange,
  errorAt,
}: {
  type: FormField["type"];
  rules: FieldValidation;
  onChange: (rules: FieldValidation) => void;
  errorAt: (path: string) => string | undefined;
}) {
  const { required } = rules;
  const isRequired = required?.value === true;
  return (
    <fieldset className="grid gap-4">
      <legend className="sr-only">Rules</legend>
      <Toggle
        label="Required"
        value={isRequired}
        onChange={(value) => onChange(withPart(rules, { required: value ? { value } : undefined }))}
      />
      {isRequired && (
        <Message
          label="Message when it is missing"
          value={required.message}
          onChange={(message) => onChange({ ...rules, required: withPart({ ...required }, { message }) })}
          error={errorAt("required.message")}
        />
      )}
      {rulesOf(type).map((rule) => {
        const current = rules[rule];
        const label = (type === "number" ? null : dateLabels[rule]) ?? labels[rule];
        const set = (value: number | string | null) =>
          onChange(withPart(rules, { [rule]: value === null || value === "" ? undefined : { ...current, value } }));
        return (
          <div key={rule} className="grid items-start gap-4 sm:grid-cols-2">
            <RuleValue
              {...{ type, rule, label, value: current?.value, onChange: set, error: errorAt(`${rule}.value`) }}
            />
            {current !== undefined && (
              <Message
                label={`Message for “${label}”`}
                value={current.message}
                onChange={(message) => onChange(withPart(rules, { [rule]: withPart({ ...current }, { message }) }))}
                error={errorAt(`${rule}.message`)}
              />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

function RuleValue({
  type,
  rule,
  label,
  value,
  onChange,
  error,
}: {
  type: FormField["type"];
  rule: RuleName;
  label: string;
  value: number | string | undefined;
  onChange: (value: number | string | null) => void;
  error: string | undefined;
}) {
  const shared = { label, error, isOptional: true };
  if (rule === "pattern") {
    return (
      <TextField
        {...shared}
        {...{
          spellCheck: false,
          autoComplete: "off",
          maxLength: 1_000,
          className: "font-mono",
          placeholder: "^[0-9]{5}$",
        }}
        value={String(value ?? "")}
        onChange={onChange}
      />
    );
  }
  if (type === "date" || type === "datetime") {
    const kind = type === "date" ? "date" : "datetime-local";
    return <TextField {...shared} type={kind} value={String(value ?? "")} onChange={onChange} />;
  }
  const isCount = rule === "minLength" || rule === "maxLength";
  return (
    <NumberField
      {...shared}
      {...(isCount ? { min: 0, step: 1 } : { step: "any" })}
      value={typeof value === "number" ? value : null}
      onChange={onChange}
    />
  );
}

function Message({
  label,
  value,
  onChange,
  error,
}: {
  label: string;
  value: string | undefined;
  onChange: (message: string | undefined) => void;
  error: string | undefined;
}) {
  return (
    <TextField
      {...{
        label,
        error,
        isOptional: true,
        maxLength: 500,
        autoComplete: "off",
        placeholder: "In the visitor’s language by itself",
      }}
      value={value ?? ""}
      onChange={(text) => onChange(text || undefined)}
    />
  );
}

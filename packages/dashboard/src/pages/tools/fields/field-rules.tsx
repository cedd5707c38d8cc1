import type { FieldType, FieldValidation } from "@foyer/contract";
import { type AnswerKind, describeField, type FieldRule } from "@foyer/contract/rules/field-types";
import { formTextLimits } from "@foyer/contract/rules/limits";
import { NumberField, TextField, Toggle } from "../../../components/field.tsx";
import { withPart } from "../row-key.ts";

const labels: Record<FieldRule, { plain: string; date?: string }> = {
  minLength: { plain: "Minimum length (characters)" },
  maxLength: { plain: "Maximum length (characters)" },
  pattern: { plain: "Pattern (regular expression)" },
  min: { plain: "Minimum", date: "Earliest" },
  max: { plain: "Maximum", date: "Latest" },
};

/** The validation rules of a field, each with the message that visitors see when an answer breaks it. */
export function FieldRules({
  type,
  rules,
  onChange,
  errorAt,
}: {
  type: FieldType;
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
          label="Message if the field is empty"
          value={required.message}
          onChange={(message) => onChange({ ...rules, required: withPart({ ...required }, { message }) })}
          error={errorAt("required.message")}
        />
      )}
      {describeField({ type }).rules.map((rule) => {
        const current = rules[rule];
        const { plain, date = plain } = labels[rule];
        const label = findPicker(type) ? date : plain;
        const set = (value: number | string | null) =>
          onChange(withPart(rules, { [rule]: value === null || value === "" ? undefined : { ...current, value } }));
        return (
          <div key={rule} className="grid items-start gap-4 sm:grid-cols-2">
            <RuleValue
              type={type}
              rule={rule}
              label={label}
              value={current?.value}
              onChange={set}
              error={errorAt(`${rule}.value`)}
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

/** The input type for bounds that are dates. */
const pickers: Record<AnswerKind, string | null> = {
  text: null,
  number: null,
  date: "date",
  datetime: "datetime-local",
  choice: null,
  choices: null,
  boolean: null,
  file: null,
};

const findPicker = (type: FieldType) => pickers[describeField({ type }).answer];

function RuleValue({
  type,
  rule,
  label,
  value,
  onChange,
  error,
}: {
  type: FieldType;
  rule: FieldRule;
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
        spellCheck={false}
        autoComplete="off"
        maxLength={formTextLimits.pattern}
        className="font-mono"
        placeholder="^[0-9]{5}$"
        value={String(value ?? "")}
        onChange={onChange}
      />
    );
  }
  const picker = findPicker(type);
  if (picker) return <TextField {...shared} type={picker} value={String(value ?? "")} onChange={onChange} />;
  const isCount = rule === "minLength" || rule === "maxLength";
  return (
    <NumberField
      {...shared}
      min={isCount ? 0 : undefined}
      step={isCount ? 1 : "any"}
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
      label={label}
      error={error}
      isOptional
      maxLength={formTextLimits.ruleMessage}
      autoComplete="off"
      placeholder="Default message, in English"
      value={value ?? ""}
      onChange={(text) => onChange(text || undefined)}
    />
  );
}

import type { AgentTestCheck } from "@foyer/contract";
import { agentTestLimits, type CheckKind, checkKinds } from "@foyer/contract/rules/evaluations";
import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useRef } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { Combobox } from "../../components/combobox.tsx";
import { NumberField, Select, TextArea, TextField } from "../../components/field.tsx";
import { languages } from "../../components/languages.ts";
import { endpointQuery } from "../../data/queries.ts";
import { rowKey } from "../tools/row-key.ts";
import { checkLabels } from "./check-labels.ts";
import { type CheckDraft, emptyCheck } from "./test-draft.ts";

type ErrorAt = (path: string) => string | undefined;

/** The checks of a test, or of a replay, which has none that a model judges. */
export function CheckFields({
  agentId,
  checks,
  onChange,
  errorAt,
  without = [],
}: {
  agentId: string;
  checks: readonly CheckDraft[];
  onChange: (checks: CheckDraft[]) => void;
  errorAt: ErrorAt;
  without?: readonly CheckKind[];
}) {
  const list = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const focus = (index: number) =>
    // The check exists only after the next render.
    setTimeout(() => (list.current?.children[index]?.querySelector("select") ?? addButton.current)?.focus());
  const kinds = checkKinds.filter((kind) => !without.includes(kind));
  return (
    <>
      <ul ref={list} aria-label="Checks" className="grid gap-3 empty:hidden">
        {checks.map((check, index) => (
          <li key={rowKey(check)} className="flex gap-1 rounded-lg border border-line p-3">
            <div className="grid min-w-0 flex-1 gap-3">
              <Select
                label={`Check ${index + 1}`}
                help={checkLabels[check.kind].line}
                value={check.kind}
                onChange={(kind) => onChange(checks.with(index, { ...check, kind }))}
                options={kinds.map((kind) => ({ value: kind, label: checkLabels[kind].name }))}
                error={errorAt(`checks.${index}.kind`)}
              />
              <KindFields
                agentId={agentId}
                check={check}
                onChange={(part) => onChange(checks.with(index, { ...check, ...part }))}
                errorAt={(name) => errorAt(`checks.${index}.${name}`)}
              />
            </div>
            <IconButton
              label={`Remove check ${index + 1}`}
              onClick={() => {
                onChange(checks.toSpliced(index, 1));
                focus(Math.max(0, index - 1));
              }}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <div>
        <Button
          ref={addButton}
          disabled={checks.length >= agentTestLimits.checks}
          onClick={() => {
            onChange([...checks, emptyCheck()]);
            focus(checks.length);
          }}
        >
          <Plus size={16} aria-hidden /> Add check
        </Button>
      </div>
    </>
  );
}

type KindFieldsProps = {
  agentId: string;
  check: CheckDraft;
  onChange: (part: Partial<CheckDraft>) => void;
  errorAt: (name: keyof AgentTestCheck) => string | undefined;
};

/** The fields that a check of its kind has. */
function KindFields(props: KindFieldsProps) {
  const { agentId, check, onChange, errorAt } = props;
  switch (check.kind) {
    case "tool_called":
    case "tool_not_called":
      return (
        <>
          <ToolField
            agentId={agentId}
            value={check.tool}
            onChange={(tool) => onChange({ tool })}
            error={errorAt("tool")}
          />
          <TextArea
            label="Arguments"
            isOptional
            help="A JSON object."
            placeholder='{"days": 2}'
            rows={1}
            spellCheck={false}
            className="min-h-9 font-mono"
            value={check.arguments}
            onChange={(values) => onChange({ arguments: values })}
            error={errorAt("arguments")}
          />
        </>
      );
    case "says":
    case "never_says":
      return (
        <TextField
          label="Text"
          maxLength={agentTestLimits.textCharacters}
          value={check.text}
          onChange={(text) => onChange({ text })}
          error={errorAt("text")}
        />
      );
    case "judge":
      return (
        <TextArea
          label="What the replies must do"
          placeholder="Offers another date when the wanted one is taken."
          rows={2}
          className="min-h-16"
          maxLength={agentTestLimits.textCharacters}
          value={check.text}
          onChange={(text) => onChange({ text })}
          error={errorAt("text")}
        />
      );
    case "language":
      return <LanguageField {...props} />;
    case "cites":
      return <DocumentField {...props} />;
    case "max_words":
      return (
        <NumberField
          label="Words"
          min={1}
          className="max-w-28"
          value={check.n}
          onChange={(n) => onChange({ n })}
          error={errorAt("n")}
        />
      );
    case "asks_for_person":
    case "refuses":
      return null;
  }
}

/** A tool by its name. Tools that were deleted, or are yet to be created, can be typed. */
export function ToolField({
  agentId,
  value,
  onChange,
  error,
}: {
  agentId: string;
  value: string;
  onChange: (tool: string) => void;
  error: string | undefined;
}) {
  const tools = useQuery(endpointQuery("listTools", { agentId })).data ?? [];
  return (
    <Combobox
      label="Tool"
      placeholder="stock_lookup"
      className="font-mono placeholder:text-soft"
      options={tools.map(({ name }) => ({ value: name }))}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}

function LanguageField({ check, onChange, errorAt }: KindFieldsProps) {
  return (
    <Combobox
      label="Language"
      help="A code such as en or de."
      className="max-w-60"
      options={languages.map(({ value, label }) => ({ value, hint: label }))}
      value={check.language}
      onChange={(language) => onChange({ language })}
      error={errorAt("language")}
    />
  );
}

/** The most documents that are offered. Others can be typed. */
const OFFERED = 100;

function DocumentField({ agentId, check, onChange, errorAt }: KindFieldsProps) {
  const documents = useQuery(endpointQuery("listDocuments", { agentId, limit: OFFERED })).data?.documents ?? [];
  const titles = new Set(documents.map(({ title }) => title));
  return (
    <Combobox
      label="Document"
      help="Its title or URL."
      placeholder="Price list"
      className="placeholder:text-soft"
      options={[...titles].map((value) => ({ value }))}
      value={check.document}
      onChange={(document) => onChange({ document })}
      error={errorAt("document")}
    />
  );
}

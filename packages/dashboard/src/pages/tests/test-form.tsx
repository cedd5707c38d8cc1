import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { Plus, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import type { useDraft } from "../../components/use-draft.ts";
import { rowKey } from "../tools/row-key.ts";
import { CheckFields, ToolField } from "./check-fields.tsx";
import { emptyResult, emptyTurn, type TestDraft } from "./test-draft.ts";

type Draft = ReturnType<typeof useDraft<TestDraft>>;

/** The fields of a test: what the visitor writes, what is checked, and what tools answer. */
export function TestForm({
  agentId,
  draft,
  onSave,
  children,
}: {
  agentId: string;
  draft: Draft;
  onSave: (values: TestDraft) => Promise<unknown>;
  /** The buttons that save. */
  children: ReactNode;
}) {
  const { values, change, errorAt } = draft;
  return (
    <form
      ref={draft.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void draft.submit(onSave);
      }}
    >
      <Section title="Conversation">
        <TextField
          label="Name"
          maxLength={agentTestLimits.name}
          value={values.name}
          onChange={(name) => change({ name })}
          error={errorAt("name")}
        />
        <TurnFields
          turns={values.turns}
          onChange={(turns) => change({ turns })}
          errorAt={(index) => errorAt(`turns.${index}`)}
        />
      </Section>
      <Section
        title="Checks"
        description="What the replies must do. A test without checks passes when the agent replies."
      >
        <CheckFields
          agentId={agentId}
          checks={values.checks}
          onChange={(checks) => change({ checks })}
          errorAt={errorAt}
        />
      </Section>
      <Section
        title="Answers of tools"
        description='No tool runs in a test. A tool that is not listed here answers {"ok":true}, and a canned answer gives its own text.'
      >
        <ResultFields
          agentId={agentId}
          results={values.results}
          onChange={(results) => change({ results })}
          errorAt={errorAt}
        />
      </Section>
      {children}
    </form>
  );
}

function TurnFields({
  turns,
  onChange,
  errorAt,
}: {
  turns: TestDraft["turns"];
  onChange: (turns: TestDraft["turns"]) => void;
  errorAt: (index: number) => string | undefined;
}) {
  const list = useRef<HTMLUListElement>(null);
  const focus = (index: number) =>
    // The message exists only after the next render.
    setTimeout(() => list.current?.children[index]?.querySelector("textarea")?.focus());
  return (
    <>
      <ul ref={list} aria-label="The visitor's messages" className="grid gap-3">
        {turns.map((turn, index) => (
          <li key={rowKey(turn)} className="flex gap-1">
            <div className="min-w-0 flex-1">
              <TextArea
                label={turns.length === 1 ? "The visitor's message" : `The visitor's message ${index + 1}`}
                rows={2}
                className="min-h-16"
                maxLength={agentTestLimits.turnCharacters}
                value={turn.text}
                onChange={(text) => onChange(turns.with(index, { ...turn, text }))}
                error={errorAt(index)}
              />
            </div>
            {turns.length > 1 && (
              <IconButton
                label={`Remove message ${index + 1}`}
                className="mt-6"
                onClick={() => {
                  onChange(turns.toSpliced(index, 1));
                  focus(Math.max(0, index - 1));
                }}
              >
                <X size={16} aria-hidden />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      <div>
        <Button
          disabled={turns.length >= agentTestLimits.turns}
          onClick={() => {
            onChange([...turns, emptyTurn()]);
            focus(turns.length);
          }}
        >
          <Plus size={16} aria-hidden /> Add message
        </Button>
      </div>
      <p className="text-sm text-soft">The agent answers each message, and reads its earlier answers.</p>
    </>
  );
}

function ResultFields({
  agentId,
  results,
  onChange,
  errorAt,
}: {
  agentId: string;
  results: TestDraft["results"];
  onChange: (results: TestDraft["results"]) => void;
  errorAt: (path: string) => string | undefined;
}) {
  const list = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const focus = (index: number) =>
    // The answer exists only after the next render.
    setTimeout(() => (list.current?.children[index]?.querySelector("input") ?? addButton.current)?.focus());
  return (
    <>
      <ul ref={list} aria-label="Answers of tools" className="grid gap-3 empty:hidden">
        {results.map((result, index) => (
          <li key={rowKey(result)} className="flex gap-1 rounded-lg border border-line p-3">
            <div className="grid min-w-0 flex-1 gap-3">
              <ToolField
                agentId={agentId}
                value={result.tool}
                onChange={(tool) => onChange(results.with(index, { ...result, tool }))}
                error={errorAt(`results.${index}.tool`)}
              />
              <TextArea
                label="Answer"
                help="A text or JSON. A number, true, false or null is JSON too; put it in quotes for a text."
                rows={2}
                spellCheck={false}
                className="min-h-16 font-mono"
                value={result.answer}
                onChange={(answer) => onChange(results.with(index, { ...result, answer }))}
                error={errorAt(`results.${index}.answer`)}
              />
            </div>
            <IconButton
              label={`Remove answer ${index + 1}`}
              onClick={() => {
                onChange(results.toSpliced(index, 1));
                focus(Math.max(0, index - 1));
              }}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {errorAt("results") && !results.some((_, index) => errorAt(`results.${index}`)) && (
        <p role="alert" className="text-sm text-wrong">
          {errorAt("results")}
        </p>
      )}
      <div>
        <Button
          ref={addButton}
          disabled={results.length >= agentTestLimits.results}
          onClick={() => {
            onChange([...results, emptyResult()]);
            focus(results.length);
          }}
        >
          <Plus size={16} aria-hidden /> Add answer
        </Button>
      </div>
    </>
  );
}

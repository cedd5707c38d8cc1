import { type KeyboardEvent, useState } from "react";
import { emptyVisitor, toActingVisitor } from "../../../components/acting-visitor.ts";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { useDraft } from "../../../components/use-draft.ts";
import { VisitorFields } from "../../../components/visitor-fields.tsx";
import { useEndpointMutation } from "../../../data/queries.ts";
import { useRole } from "../../../data/use-role.ts";
import { toSchemaDraft } from "../input-schema-draft.ts";
import { createSample } from "../inputs/sample-inputs.ts";
import type { PartProps } from "../tool-editor.tsx";
import { TestInput } from "./test-input.tsx";
import { TestOutcome } from "./test-outcome.tsx";

/** Runs the saved tool as the agent would, with the user's inputs, and shows the requests and the result. */
export function TestPart({ tool, draft, lastTest, onTest }: PartProps) {
  const { inputs } = toSchemaDraft(tool?.inputSchema ?? {});
  const [values, setValues] = useState<Record<string, unknown>>(() =>
    Object.fromEntries(inputs.filter(({ isRequired }) => isRequired).map((input) => [input.name, createSample(input)])),
  );
  const visitor = useDraft({ ...emptyVisitor, isVerified: false });
  const test = useEndpointMutation("testTool");
  if (!tool) return null;
  const run = () =>
    void visitor.submit(async ({ isVerified, ...fields }) => {
      const input = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
      const acting = isVerified ? toActingVisitor(fields) : null;
      onTest(await test.mutateAsync({ id: tool.id, body: { input, visitor: acting } }));
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    // Enter runs the test. It would otherwise save the tool.
    event.preventDefault();
    if (!draft.isDirty) run();
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys that bubble up from its inputs */}
      <div onKeyDown={onKeyDown}>
        <Section title="Inputs" description="The values that the agent would pass.">
          {draft.isDirty && (
            <p role="status" className="rounded-lg border border-line bg-sunken px-3 py-2">
              The test runs the saved tool. Save your changes first.
            </p>
          )}
          {inputs.length === 0 && <p className="text-soft">The tool has no inputs.</p>}
          {inputs.map((input) => (
            <TestInput
              key={input.name}
              input={input}
              value={values[input.name]}
              onChange={(value) => setValues({ ...values, [input.name]: value })}
            />
          ))}
          {tool.executionType === "http" && <TestVisitor draft={visitor} />}
          {visitor.errors.length > 0 && (
            <p role="alert" className="text-wrong">
              {describeErrors(visitor.errors)}
            </p>
          )}
          <div>
            <Button
              variant={draft.isDirty ? "quiet" : "main"}
              onClick={run}
              isBusy={test.isPending}
              disabled={draft.isDirty}
            >
              Run test
            </Button>
          </div>
        </Section>
      </div>
      <TestOutcome tool={tool} test={lastTest} isRunning={test.isPending} />
    </div>
  );
}

type VisitorDrafting = ReturnType<typeof useDraft<typeof emptyVisitor & { isVerified: boolean }>>;

/** The visitor for whom the test runs. */
function TestVisitor({ draft: { values, change, errorAt } }: { draft: VisitorDrafting }) {
  const { isAdmin } = useRole();
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">Visitor</legend>
      {isAdmin ? (
        <SegmentedControl
          label="Identity"
          value={values.isVerified ? "verified" : "anonymous"}
          onChange={(identity) => change({ isVerified: identity === "verified" })}
          options={[
            { value: "anonymous", label: "Anonymous" },
            { value: "verified", label: "Verified" },
          ]}
        />
      ) : (
        <p className="text-soft">The visitor is anonymous. Only owners and admins can act as a verified visitor.</p>
      )}
      {values.isVerified && <VisitorFields values={values} onChange={change} errorAt={errorAt} />}
    </fieldset>
  );
}

/** Errors of the visitor's fields are shown at those fields. Others come from the server. */
function describeErrors(errors: VisitorDrafting["errors"]): string {
  const others = errors.filter(({ path }) => !(path in emptyVisitor));
  return others.map(({ path, message }) => `${path} ${message}`.trim()).join("; ") || "Fix the visitor's fields first.";
}

import { type KeyboardEvent, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { useEndpointMutation } from "../../../data/queries.ts";
import { toSchemaDraft } from "../inputs/input-schema-draft.ts";
import { sampleOf } from "../inputs/sample-inputs.ts";
import type { PartProps } from "../tool-editor.tsx";
import { TestInput } from "./test-input.tsx";
import { TestOutcome } from "./test-outcome.tsx";

/** Runs the saved tool as the agent would, with the user's inputs, and shows the requests and the result. */
export function TestPart({ tool, draft, lastTest, onTest }: PartProps) {
  const { inputs } = toSchemaDraft(tool?.inputSchema ?? {});
  const [values, setValues] = useState<Record<string, unknown>>(() =>
    Object.fromEntries(inputs.filter(({ isRequired }) => isRequired).map((input) => [input.name, sampleOf(input)])),
  );
  const test = useEndpointMutation("testTool");
  if (!tool) return null;
  const run = () => {
    const input = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    test.mutate({ id: tool.id, body: { input } }, { onSuccess: onTest });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    // Enter runs the test. It would otherwise save the tool.
    event.preventDefault();
    if (!draft.isDirty) run();
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
      <Section title="Inputs" description="The values that the agent would pass.">
        {draft.isDirty && (
          <p role="status" className="rounded-lg border border-line bg-sunken px-3 py-2">
            The test runs the saved tool. Save your changes first.
          </p>
        )}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys that bubble up from its inputs */}
        <div className="grid gap-4" onKeyDown={onKeyDown}>
          {inputs.length === 0 && <p className="text-soft">The tool has no inputs.</p>}
          {inputs.map((input) => (
            <TestInput
              key={input.name}
              input={input}
              value={values[input.name]}
              onChange={(value) => setValues({ ...values, [input.name]: value })}
            />
          ))}
        </div>
        <div>
          <Button
            look={draft.isDirty ? "quiet" : "main"}
            onClick={run}
            isBusy={test.isPending}
            disabled={draft.isDirty}
          >
            Run test
          </Button>
        </div>
      </Section>
      <TestOutcome tool={tool} test={lastTest} isRunning={test.isPending} />
    </div>
  );
}

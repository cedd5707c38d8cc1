import { type KeyboardEvent, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { useCall } from "../../../data/queries.ts";
import { toSchemaDraft } from "../inputs/input-schema-draft.ts";
import { sampleOf } from "../inputs/sample-inputs.ts";
import type { PartProps } from "../tool-editor.tsx";
import { TestInput } from "./test-input.tsx";
import { TestOutcome } from "./test-outcome.tsx";

/** Runs the saved tool as the agent would, with inputs of the viewer's, and shows everything that happens. */
export function TestPart({ tool, draft, lastTest, onTest }: PartProps) {
  const { inputs } = toSchemaDraft(tool?.inputSchema ?? {});
  const [values, setValues] = useState<Record<string, unknown>>(() =>
    Object.fromEntries(inputs.filter(({ isRequired }) => isRequired).map((input) => [input.name, sampleOf(input)])),
  );
  const test = useCall("testTool");
  if (!tool) return null;
  const run = () => {
    const input = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    test.mutate({ id: tool.id, body: { input } }, { onSuccess: onTest });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    // Enter runs the test; it would save the tool else.
    event.preventDefault();
    if (!draft.isDirty) run();
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
      <Section title="Inputs" description="As the agent would fill them in.">
        {draft.isDirty && (
          <p role="status" className="rounded-lg border border-line bg-sunken px-3 py-2">
            The saved tool is what runs. Save your changes first.
          </p>
        )}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: hears what its inputs do not handle */}
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
            Run the tool
          </Button>
        </div>
      </Section>
      <TestOutcome tool={tool} test={lastTest} isRunning={test.isPending} />
    </div>
  );
}

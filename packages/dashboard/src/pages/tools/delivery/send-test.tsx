import type { Tool } from "@foyer/contract";
import { sampleAnswers } from "@foyer/contract/rules/field-editor";
import { FoyerError } from "@foyer/sdk";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Status } from "../../../components/status.tsx";
import { useEndpointMutation } from "../../../data/queries.ts";
import { TestDelivery } from "./test-delivery.tsx";

/** Submits the saved form with sample data and shows its deliveries. */
export function SendTest({ tool, isDirty }: { tool: Tool; isDirty: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const submit = useEndpointMutation("submitForm", { changes: ["listSubmissions"] });
  const answers = sampleAnswers(tool.formSchema?.fields ?? []);
  const problems = submit.error instanceof FoyerError ? submit.error.details : [];
  const close = () => {
    setOpen(false);
    submit.reset();
  };
  const send = () =>
    submit.mutate({
      body: { toolId: tool.id, formData: answers, fieldsCompleted: Object.keys(answers) },
    });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button onClick={() => setOpen(true)}>Send a test</Button>
      <p className="text-sm text-soft">Submits the form with sample data and shows each delivery.</p>
      <Dialog
        title="Send a test"
        description="This creates a submission with sample data, calls the webhook and runs every action. You can delete the submission afterwards."
        isOpen={isOpen}
        onClose={close}
      >
        {isDirty && (
          <p className="rounded-lg border border-line bg-sunken px-3 py-2">
            The test uses the saved form. Your unsaved changes are not included.
          </p>
        )}
        {submit.data ? (
          <TestDelivery submissionId={submit.data.submissionId} agentId={tool.agentId} onClose={close} />
        ) : (
          <>
            <SampleAnswers answers={answers} />
            {problems.map(({ path, message }) => (
              <Status key={path} tone="wrong">
                <span className="whitespace-normal">
                  {path.split(".").at(-1)}: {message}
                </span>
              </Status>
            ))}
            <Button variant="main" className="justify-self-end" isBusy={submit.isPending} onClick={send}>
              Send test
            </Button>
          </>
        )}
      </Dialog>
    </div>
  );
}

function SampleAnswers({ answers }: { answers: Record<string, unknown> }) {
  const toText = (value: unknown) => {
    const text = Array.isArray(value) ? value.join(", ") : String(value);
    return text.startsWith("data:") ? "a small sample file" : text;
  };
  return (
    <dl className="grid gap-x-4 gap-y-1 border-y border-line py-3 sm:grid-cols-[minmax(0,10rem)_minmax(0,1fr)]">
      {Object.entries(answers).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="font-mono text-sm text-soft">{name}</dt>
          <dd className="max-sm:mb-1">{toText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

import type { Agent } from "@foyer/contract";
import type { ContentChange } from "@foyer/contract/rules/compare-contents";
import { FoyerError } from "@foyer/sdk";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { TextArea } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { pluralize } from "../../../components/plural.ts";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { useAgentEdits } from "../../../data/agent-edits.ts";
import { api } from "../../../data/api.ts";
import { refresh, useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { ChangeList } from "./change-list.tsx";
import { type FailedTest, FailedTests, readFailedTests } from "./failed-tests.tsx";

const POLL_MS = 1_000;

/** Shows what the draft changes, and publishes or discards it. */
export function ReviewDraft({
  agent,
  changes,
  onClose,
}: {
  agent: Agent;
  changes: readonly ContentChange[];
  onClose: () => void;
}) {
  const { id, name, liveVersion, publishRequiresTests } = agent;
  const edits = useAgentEdits(id);
  const [isDiscarding, setDiscarding] = useState(false);
  const [failedTests, setFailedTests] = useState<readonly FailedTest[]>([]);
  const [progress, setProgress] = useState<string | null>(null);
  const closed = useRef(new AbortController());
  useEffect(() => () => closed.current.abort(), []);
  const publish = async (note: string): Promise<{ version: number }> => {
    try {
      return await edits.write((ifMatch) =>
        api.publishAgent({ id, body: { note: note.trim() || null, wait: false } }, { ifMatch }),
      );
    } catch (error) {
      const isRunning = error instanceof FoyerError && error.code === "TESTS_RUNNING";
      if (!isRunning || closed.current.signal.aborted) throw error;
      setProgress(error.message);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      return publish(note);
    }
  };
  const form = useDialogForm({ note: "" }, async ({ note }) => {
    setFailedTests([]);
    try {
      const { version } = await publish(note);
      notify(`Visitors get version ${version} now`);
      onClose();
    } catch (error) {
      const failed = readFailedTests(error);
      if (failed.length === 0) throw error;
      setFailedTests(failed);
    } finally {
      setProgress(null);
    }
  });
  const count = pluralize(changes.length, "change");
  return (
    <FormDialog
      isSide
      title={`Draft: ${count}`}
      description={`Compared with version ${liveVersion}, which visitors get.`}
      action="Publish"
      form={form}
      onClose={onClose}
      besideAction={
        <Button variant="danger" onClick={() => setDiscarding(true)}>
          Discard draft
        </Button>
      }
    >
      <ChangeList changes={changes} />
      <TextArea
        label="Note"
        isOptional
        help="What has changed and why, for the history."
        className="min-h-16"
        rows={2}
        value={form.values.note}
        onChange={(note) => form.change({ note })}
        error={form.errorAt("note")}
      />
      {publishRequiresTests && failedTests.length === 0 && (
        <p className="text-sm text-soft" role="status">
          {progress ?? "Publishing runs the tests of this agent first, which can take a while."}
        </p>
      )}
      {failedTests.length > 0 && <FailedTests agentId={id} tests={failedTests} onClose={onClose} />}
      <DiscardDraft
        agent={{ id, name }}
        count={count}
        isOpen={isDiscarding}
        onClose={() => setDiscarding(false)}
        onDiscarded={onClose}
      />
    </FormDialog>
  );
}

function DiscardDraft({
  agent: { id, name },
  count,
  isOpen,
  onClose,
  onDiscarded,
}: {
  agent: { id: string; name: string };
  count: string;
  isOpen: boolean;
  onClose: () => void;
  onDiscarded: () => void;
}) {
  const edits = useAgentEdits(id);
  const discard = useEndpointMutation("discardAgentDraft", { edits, done: "Draft discarded" });
  const confirm = async () => {
    await discard.mutateAsync({ id });
    await refresh("listAgents", "getTool", "getTrigger", "getToolLimits");
    onDiscarded();
  };
  return (
    <ConfirmDialog
      title="Discard the draft?"
      action={`Discard ${count}`}
      isOpen={isOpen}
      isBusy={discard.isPending}
      onClose={onClose}
      onConfirm={() => void confirm().catch(() => {})}
    >
      <p>{name} becomes what visitors get again. This cannot be undone.</p>
    </ConfirmDialog>
  );
}

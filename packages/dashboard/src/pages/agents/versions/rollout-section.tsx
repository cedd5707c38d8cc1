import type { Agent } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { NumberField, Select } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Section } from "../../../components/page.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { versionOptions } from "../../../components/version-names.ts";
import { useAgentEdits } from "../../../data/agent-edits.ts";
import { api } from "../../../data/api.ts";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";

/** The most that the server lists at once. */
const LISTED = 200;

/** Gives a version to a part of the new conversations, or ends that. */
export function RolloutSection({ agent }: { agent: Agent }) {
  const { id, liveVersion, rollout } = agent;
  const [isOpen, setOpen] = useState(false);
  const edits = useAgentEdits(id);
  const end = useEndpointMutation("endRollout", { edits, done: "Rollout ended" });
  // With a single version, there is nothing to roll out.
  if (rollout === null && liveVersion < 2) return null;
  return (
    <Section
      title="Rollout"
      description={
        rollout
          ? `Version ${rollout.version} gets ${rollout.percent}% of new conversations, and version ${liveVersion} the others. A conversation keeps its version until the rollout ends.`
          : "Give an earlier version to a part of the new conversations, to compare it with the live one. Publishing ends the rollout."
      }
      actions={
        <>
          {rollout && (
            <Button isBusy={end.isPending} onClick={() => end.mutate({ id })}>
              End rollout
            </Button>
          )}
          <Button onClick={() => setOpen(true)}>{rollout ? "Change rollout" : "Start rollout"}</Button>
        </>
      }
    >
      {isOpen && <RolloutDialog agent={agent} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function RolloutDialog({ agent: { id, liveVersion, rollout }, onClose }: { agent: Agent; onClose: () => void }) {
  const edits = useAgentEdits(id);
  const versions = useQuery(endpointQuery("listAgentVersions", { id, limit: LISTED })).data?.data ?? [];
  const initial = {
    version: String(rollout?.version ?? liveVersion - 1),
    percent: (rollout?.percent ?? 10) as number | null,
  };
  const form = useDialogForm(initial, async ({ version, percent }) => {
    // The server rejects an empty field and says so.
    const body = { version: Number(version), percent: percent ?? Number.NaN };
    await edits.write((ifMatch) => api.rollOutVersion({ id, body }, { ifMatch }));
    notify("Rollout saved");
    onClose();
  });
  const options = versionOptions(versions, { hasDraft: false, chosen: [form.values.version] });
  return (
    <FormDialog
      title={rollout ? "Change rollout" : "Start rollout"}
      description={`The other new conversations get version ${liveVersion}.`}
      action="Save"
      form={form}
      onClose={onClose}
    >
      <Select
        label="Version"
        value={form.values.version}
        options={options.filter(({ value }) => value !== String(liveVersion))}
        onChange={(version) => form.change({ version })}
        error={form.errorAt("version")}
      />
      <NumberField
        label="Part of new conversations (%)"
        min={0}
        max={100}
        step="any"
        inputMode="decimal"
        className="max-w-28"
        value={form.values.percent}
        onChange={(percent) => form.change({ percent })}
        error={form.errorAt("percent")}
      />
    </FormDialog>
  );
}

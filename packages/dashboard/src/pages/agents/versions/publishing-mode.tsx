import type { Agent } from "@foyer/contract";
import { useState } from "react";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { pluralize } from "../../../components/plural.ts";
import { useAgentEdits } from "../../../data/agent-edits.ts";
import { useEndpointMutation } from "../../../data/queries.ts";
import { useDraftChanges } from "./use-draft-changes.ts";

const modes = [
  { value: "immediate", name: "At once", line: "Visitors get a change as soon as it is saved." },
  { value: "manual", name: "Manually", line: "Changes go into a draft. Visitors get them when you publish it." },
] as const;

/** Whether changes are live at once. Going back to that publishes the draft, so it asks first. */
export function PublishingMode({ agent }: { agent: Agent }) {
  const { id, publishing } = agent;
  const edits = useAgentEdits(id);
  const changes = useDraftChanges(agent);
  const [isAsking, setAsking] = useState(false);
  const save = useEndpointMutation("updateAgent", { edits, done: "Saved" });
  const shown = save.isPending ? save.variables.body.publishing : publishing;
  const choose = (mode: Agent["publishing"]) => {
    if (mode === "immediate" && changes.length > 0) setAsking(true);
    else save.mutate({ id, body: { publishing: mode } });
  };
  const count = pluralize(changes.length, "change");
  return (
    <>
      <fieldset disabled={save.isPending}>
        <legend className="sr-only">Publish changes</legend>
        <div className="grid max-w-[720px] overflow-hidden rounded-lg border border-line sm:grid-cols-2">
          {modes.map(({ value, name, line }) => (
            <label
              key={value}
              className="flex cursor-pointer items-start gap-3 border-line bg-raised p-4 not-first:border-t has-checked:bg-selected sm:not-first:border-s sm:not-first:border-t-0"
            >
              <input
                type="radio"
                name="publishing"
                className="mt-0.5 size-4 shrink-0 accent-ink"
                checked={value === shown}
                onChange={() => choose(value)}
              />
              <span className="grid">
                <span className="font-medium">{name}</span>
                <span className="text-sm text-soft">{line}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <ConfirmDialog
        title={`Publish ${count}?`}
        action={`Publish ${count}`}
        isOpen={isAsking}
        isBusy={save.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => save.mutate({ id, body: { publishing: "immediate" } }, { onSettled: () => setAsking(false) })}
      >
        <p>The draft is published now, and later changes are live as soon as they are saved.</p>
      </ConfirmDialog>
    </>
  );
}

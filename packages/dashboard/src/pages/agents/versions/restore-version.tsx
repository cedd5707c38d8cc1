import type { Agent } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { toSentence } from "../../../components/use-draft.ts";
import { useAgentEdits } from "../../../data/agent-edits.ts";
import { endpointQuery, refresh, useEndpointMutation } from "../../../data/queries.ts";
import { describePlace } from "./change-labels.ts";
import { ChangeList } from "./change-list.tsx";

type Missing = FoyerError["details"];

/** Restores an earlier version. If it names what no longer exists, it says what and offers the rest. */
export function RestoreVersion({ agent, version, onClose }: { agent: Agent; version: number; onClose: () => void }) {
  const { id, name, publishing, liveVersion } = agent;
  const edits = useAgentEdits(id);
  const [missing, setMissing] = useState<Missing>([]);
  const restore = useEndpointMutation("restoreAgentVersion", {
    edits,
    done: (restored) => `Version ${restored.version} has the content of version ${version}, and is live`,
  });
  const from = publishing === "manual" ? "draft" : String(liveVersion);
  const comparison = useQuery(endpointQuery("compareAgentVersions", { id, from, to: String(version) }));
  const changes = comparison.data?.changes;
  const confirm = async () => {
    const withoutMissing = missing.length > 0;
    try {
      await restore.mutateAsync({ id, version: String(version), body: { withoutMissing } });
      await refresh("listAgents", "getTool", "getTrigger", "getToolLimits");
      onClose();
    } catch (error) {
      // Other errors were reported.
      if (error instanceof FoyerError && error.details.length > 0) setMissing(error.details);
    }
  };
  return (
    <ConfirmDialog
      title={`Restore version ${version}?`}
      action={missing.length > 0 ? "Restore without them" : `Restore version ${version}`}
      isOpen
      isBusy={restore.isPending}
      onClose={onClose}
      onConfirm={() => void confirm()}
    >
      {missing.length > 0 ? (
        <>
          <p role="alert">Version {version} names what no longer exists:</p>
          <ul className="list-disc ps-5 text-ink">
            {missing.map((detail) => (
              <li key={detail.path}>{describeMissing(detail)}</li>
            ))}
          </ul>
        </>
      ) : (
        <>
          <p>
            Visitors get {name} as it was in version {version}.
            {publishing === "manual" && " The draft is replaced by it too."} The current version stays in the history.
          </p>
          {comparison.error && <p role="alert">What changes could not be loaded: {comparison.error.message}</p>}
          {changes?.length === 0 && <p>It has the same settings, tools and triggers as now.</p>}
          {changes && changes.length > 0 && (
            <div className="max-h-80 overflow-y-auto text-ink">
              <ChangeList changes={changes} label="What restoring changes" />
            </div>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

function describeMissing({ path, message }: Missing[number]): string {
  const { subject, setting } = describePlace({ path });
  return `${subject}${setting ? `, ${setting}` : ""}: ${toSentence(message)}`;
}

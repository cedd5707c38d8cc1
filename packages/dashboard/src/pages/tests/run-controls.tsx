import type { Agent } from "@foyer/contract";
import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/field.tsx";
import { versionOptions } from "../../components/version-names.ts";
import { endpointQuery } from "../../data/queries.ts";
import type { RunOptions } from "./use-test-runs.ts";

/** The versions that the list offers. */
const LISTED = 200;

/** Chooses the version and the number of runs, and starts or stops them. */
export function RunControls({
  agent: { id, publishing, liveVersion },
  label,
  isRunning,
  disabled = false,
  onStart,
  onStop,
}: {
  agent: Agent;
  label: string;
  isRunning: boolean;
  disabled?: boolean;
  onStart: (options: RunOptions) => void;
  onStop: () => void;
}) {
  const hasDraft = publishing === "manual";
  const versions = useQuery(endpointQuery("listAgentVersions", { id, limit: LISTED })).data?.data ?? [];
  const [version, setVersion] = useState(hasDraft ? "draft" : String(liveVersion));
  const [repeat, setRepeat] = useState("1");
  const start = () => onStart({ version: version === "draft" ? version : Number(version), repeat: Number(repeat) });
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="min-w-44 max-sm:flex-1">
        <Select
          label="Run with"
          disabled={isRunning}
          value={version}
          onChange={setVersion}
          options={versionOptions(versions, { hasDraft, chosen: [version] })}
        />
      </div>
      <div className="min-w-28 max-sm:flex-1">
        <Select
          label="Times"
          disabled={isRunning}
          value={repeat}
          onChange={setRepeat}
          options={Array.from({ length: agentTestLimits.repeat }, (_, index) => String(index + 1)).map((value) => ({
            value,
            label: value,
          }))}
        />
      </div>
      {isRunning ? (
        <Button onClick={onStop}>Stop</Button>
      ) : (
        <Button disabled={disabled} onClick={start}>
          {label}
        </Button>
      )}
    </div>
  );
}

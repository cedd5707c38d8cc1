import type { Agent } from "@foyer/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Dialog } from "../../../components/dialog.tsx";
import { Select } from "../../../components/field.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { versionOptions } from "../../../components/version-names.ts";
import { endpointQuery } from "../../../data/queries.ts";
import { ChangeList } from "./change-list.tsx";

/** The most that the server lists at once. */
const LISTED = 200;

/** Compares any two versions of an agent, or one of them with the draft. */
export function CompareVersions({
  agent: { id, publishing },
  from,
  to,
  onChange,
  onClose,
}: {
  agent: Agent;
  from: string;
  to: string;
  onChange: (from: string, to: string) => void;
  onClose: () => void;
}) {
  const versions = useQuery(endpointQuery("listAgentVersions", { id, limit: LISTED })).data?.data ?? [];
  const options = versionOptions(versions, { hasDraft: publishing === "manual", chosen: [from, to] });
  const comparison = useQuery({
    ...endpointQuery("compareAgentVersions", { id, from, to }),
    placeholderData: keepPreviousData,
  });
  const changes = comparison.data?.changes;
  return (
    <Dialog isSide title="Compare versions" isOpen onClose={onClose}>
      <div className="grid grid-cols-2 gap-4">
        <Select label="From" value={from} options={options} onChange={(value) => onChange(value, to)} />
        <Select label="To" value={to} options={options} onChange={(value) => onChange(from, value)} />
      </div>
      {comparison.isPending && <SkeletonRows count={4} label="Loading changes" />}
      {comparison.error && <ErrorState error={comparison.error} onRetry={() => void comparison.refetch()} />}
      {changes?.length === 0 && <p className="text-soft">There is no difference.</p>}
      {changes && changes.length > 0 && <ChangeList changes={changes} />}
    </Dialog>
  );
}

import type { Agent, AgentVersion } from "@foyer/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { Pager } from "../../../components/pager.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { authorName } from "../../../components/version-names.ts";
import { endpointQuery } from "../../../data/queries.ts";
import { RestoreVersion } from "./restore-version.tsx";

const PAGE_SIZE = 50;

/** The versions of an agent, newest first: who made them, when, and what changed. */
export function History({
  agent,
  page,
  onGo,
  onCompare,
}: {
  agent: Agent;
  page: number;
  onGo: (page: number) => void;
  onCompare: (from: string, to: string) => void;
}) {
  const query = { id: agent.id, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
  const versions = useQuery({ ...endpointQuery("listAgentVersions", query), placeholderData: keepPreviousData });
  const [restoring, setRestoring] = useState<AgentVersion | null>(null);
  const total = versions.data?.pagination.total ?? 0;
  return (
    <Section
      title="History"
      description="Restoring makes a new version with the earlier content, so nothing is lost. The newest 500 are kept."
      actions={
        total > 1 && (
          <Button onClick={() => onCompare(String(agent.liveVersion - 1), String(agent.liveVersion))}>
            Compare versions
          </Button>
        )
      }
    >
      {versions.isPending && <SkeletonRows label="Loading versions" />}
      {versions.error && <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />}
      {versions.data && (
        <Table
          label="Versions"
          head={
            <>
              <Th>Version</Th>
              <Th className="max-sm:hidden">Note</Th>
              <Th className="max-md:hidden">Saved by</Th>
              <Th className="max-sm:hidden">Time</Th>
              <Th className="w-px">
                <span className="sr-only">Actions</span>
              </Th>
            </>
          }
        >
          {versions.data.data.map((version) => (
            <Row
              key={version.version}
              version={version}
              onCompare={onCompare}
              onRestore={() => setRestoring(version)}
            />
          ))}
        </Table>
      )}
      <Pager page={page} size={PAGE_SIZE} total={total} onGo={onGo} />
      {restoring && <RestoreVersion agent={agent} version={restoring.version} onClose={() => setRestoring(null)} />}
    </Section>
  );
}

function Row({
  version: { version, note, createdBy, createdAt, isLive },
  onCompare,
  onRestore,
}: {
  version: AgentVersion;
  onCompare: (from: string, to: string) => void;
  onRestore: () => void;
}) {
  const author = authorName(createdBy);
  return (
    <Tr>
      <Td className="sm:whitespace-nowrap">
        <span className="inline-flex items-center gap-3 font-medium">
          {version} {isLive && <Status tone="fine">Live</Status>}
        </span>
        <span className="block text-sm text-soft sm:hidden">
          {note && <span className="block text-ink">{note}</span>}
          {author}, <Time at={createdAt} />
        </span>
      </Td>
      <Td className="w-full max-w-0 max-sm:hidden">
        <p className="truncate" title={note ?? undefined}>
          {note ?? <span className="text-soft">No note</span>}
        </p>
      </Td>
      <Td className="text-soft max-md:hidden">
        <p className="max-w-48 truncate" title={author}>
          {author}
        </p>
      </Td>
      <Td className="text-soft max-sm:hidden">
        <Time at={createdAt} />
      </Td>
      <Td className="w-px">
        <div className="flex justify-end gap-1">
          {version > 1 && (
            <Button
              variant="plain"
              aria-label={`Changes of version ${version}`}
              onClick={() => onCompare(String(version - 1), String(version))}
            >
              Changes
            </Button>
          )}
          {!isLive && (
            <Button variant="plain" aria-label={`Restore version ${version}`} onClick={onRestore}>
              Restore
            </Button>
          )}
        </div>
      </Td>
    </Tr>
  );
}

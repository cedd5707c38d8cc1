import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { Tag } from "../../../components/status.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { toolTitle } from "../../../components/tool-title.ts";
import { endpointQuery } from "../../../data/queries.ts";
import { describeAction } from "./audit-labels.ts";

type Entry = Output<"listAuditLog">["entries"][number];

export function AuditTable({ entries }: { entries: Entry[] }) {
  const names = useNames();
  return (
    <Table
      label="Audit log"
      head={
        <>
          <Th>When</Th>
          <Th>What</Th>
          <Th className="hidden sm:table-cell">Who</Th>
          <Th className="hidden md:table-cell">From</Th>
        </>
      }
    >
      {entries.map((entry) => (
        <Tr key={entry.id}>
          <Td className="text-soft max-sm:align-top">
            <span className="sm:hidden">
              <Time at={entry.at} />
            </span>
            <span className="hidden sm:inline">
              <Time at={entry.at} isExact />
            </span>
          </Td>
          <Td>
            <What entry={entry} names={names} />
            <Changed details={entry.details} />
            <div className="text-sm text-soft sm:hidden">
              <Who actor={entry.actor} />, {entry.ip}
            </div>
          </Td>
          <Td className="hidden whitespace-nowrap sm:table-cell">
            <Who actor={entry.actor} />
          </Td>
          <Td className="hidden pe-0 whitespace-nowrap text-soft md:table-cell">{entry.ip}</Td>
        </Tr>
      ))}
    </Table>
  );
}

/** The action and its object. Changes to a user's own account need no object. */
function What({
  entry: { action, resource, resourceId, targetName, actor, details },
  names,
}: {
  entry: Entry;
  names: Map<string, string>;
}) {
  if (!resourceId || resourceId === actor.id) return describeAction({ action, details }).join("").trim();
  const name = targetName ?? names.get(resourceId);
  const [before, after] = describeAction({ action, details });
  return (
    <>
      {before}
      {name ? (
        <span className="text-soft" title={resourceId}>
          {resource === "tools" ? toolTitle(name) : name}
        </span>
      ) : (
        <code className="font-mono text-soft">{resourceId}</code>
      )}
      {after}
    </>
  );
}

/** The settings that a call changed, without their values, or the names of several things that it changed. */
function Changed({ details }: Pick<Entry, "details">) {
  const { changed, names = changed }: { changed?: unknown; names?: unknown } = details ?? {};
  if (!Array.isArray(names)) return null;
  return <div className="text-sm text-soft wrap-anywhere">{names.join(", ")}</div>;
}

function Who({ actor: { type, name } }: Pick<Entry, "actor">) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {name} {type === "key" && <Tag>API key</Tag>}
    </span>
  );
}

/** Current names by id, for entries from before names were recorded. */
function useNames(): Map<string, string> {
  const agents = useQuery(endpointQuery("listAgents")).data ?? [];
  const members = useQuery(endpointQuery("listMembers")).data ?? [];
  const keys = useQuery(endpointQuery("listApiKeys")).data ?? [];
  const named = [...agents, ...keys].map(({ id, name }) => [id, name] as const);
  return new Map([...named, ...members.map(({ id, email }) => [id, email] as const)]);
}

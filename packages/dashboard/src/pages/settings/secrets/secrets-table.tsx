import type { Output } from "@foyer/sdk";
import { Link } from "@tanstack/react-router";
import { Button } from "../../../components/button.tsx";
import { Skeleton } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { toolTitle } from "../../../components/tool-title.ts";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import type { SecretUse } from "./secret-uses.ts";

type Secret = Output<"listSecrets">[number];

/** `uses` is null until it has loaded. */
export function SecretsTable({
  secrets,
  uses,
  onReplace,
  onDelete,
}: {
  secrets: Secret[];
  uses: Map<string, SecretUse[]> | null;
  onReplace: (secret: Secret) => void;
  onDelete: (secret: Secret) => void;
}) {
  return (
    <Table
      label="Secrets"
      head={
        <>
          <Th>Name</Th>
          <Th className="hidden sm:table-cell">Allowed hosts</Th>
          <Th className="hidden md:table-cell">Used by</Th>
          <Th className="hidden md:table-cell">Updated</Th>
          <ActionsHeader />
        </>
      }
    >
      {secrets.map((secret) => (
        <Tr key={secret.name}>
          <Td className="min-w-32">
            <code className="font-mono">{secret.name}</code>
            {secret.hosts.length > 0 && <div className="text-sm text-soft sm:hidden">{secret.hosts.join(", ")}</div>}
          </Td>
          <Td className="hidden text-soft sm:table-cell">
            {secret.hosts.length > 0 ? secret.hosts.join(", ") : "Any tool's host"}
          </Td>
          <Td className="hidden md:table-cell">
            {uses ? <Uses uses={uses.get(secret.name) ?? []} /> : <Skeleton className="h-4 w-24" />}
          </Td>
          <Td className="hidden text-soft md:table-cell">
            <Time at={secret.updatedAt} />
          </Td>
          <ActionsCell>
            <Button variant="plain" aria-label={`Replace ${secret.name}`} onClick={() => onReplace(secret)}>
              Replace
            </Button>
            <Button
              variant="plain"
              className="text-soft"
              aria-label={`Delete ${secret.name}`}
              onClick={() => onDelete(secret)}
            >
              Delete
            </Button>
          </ActionsCell>
        </Tr>
      ))}
    </Table>
  );
}

function Uses({ uses: [first, ...others] }: { uses: SecretUse[] }) {
  if (!first) return <span className="text-soft">Not used</span>;
  const { agentId, toolId, toolName, agentName } = first;
  return (
    <>
      <Link
        to="/agents/$agentId/tools/$toolId"
        params={{ agentId, toolId }}
        title={`Of ${agentName}`}
        className="underline underline-offset-2"
      >
        {toolTitle(toolName)}
      </Link>
      {others.length > 0 && (
        <span className="text-soft" title={others.map(({ toolName }) => toolTitle(toolName)).join(", ")}>
          {" "}
          and {others.length} more
        </span>
      )}
    </>
  );
}

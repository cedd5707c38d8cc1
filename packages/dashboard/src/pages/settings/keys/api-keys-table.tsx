import { DAY_MS } from "@foyer/contract/rules/time";
import type { Output } from "@foyer/sdk";
import { Button } from "../../../components/button.tsx";
import { Status } from "../../../components/status.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";

export type ListedKey = Output<"listApiKeys">[number];

const SOON_MS = 7 * DAY_MS;

export function ApiKeysTable({ keys, onRevoke }: { keys: ListedKey[]; onRevoke: (key: ListedKey) => void }) {
  return (
    <Table
      label="API keys"
      head={
        <>
          <Th>Name</Th>
          <Th>Starts with</Th>
          <Th className="hidden lg:table-cell">Created by</Th>
          <Th className="hidden sm:table-cell">Created</Th>
          <Th className="hidden sm:table-cell">Last used</Th>
          <Th className="hidden sm:table-cell">Expires</Th>
          <ActionsHeader />
        </>
      }
    >
      {keys.map((key) => (
        <Tr key={key.id}>
          <Td className="max-w-48 min-w-28 font-medium">
            {key.name}
            <div className="text-sm font-normal text-soft sm:hidden">
              Used: <LastUse of={key} />
              <br />
              Expires: <Expiry of={key} />
            </div>
          </Td>
          <Td>
            <code className="font-mono whitespace-nowrap">{key.start}…</code>
          </Td>
          <Td className="hidden max-w-40 truncate text-soft lg:table-cell" title={key.createdBy ?? undefined}>
            {key.createdBy ?? "A former member"}
          </Td>
          <Td className="hidden text-soft sm:table-cell">
            <Time at={key.createdAt} />
          </Td>
          <Td className="hidden text-soft sm:table-cell">
            <LastUse of={key} />
          </Td>
          <Td className="hidden text-soft sm:table-cell">
            <Expiry of={key} />
          </Td>
          <ActionsCell>
            <Button
              variant="plain"
              className="text-soft"
              aria-label={`Revoke ${key.name}`}
              onClick={() => onRevoke(key)}
            >
              Revoke
            </Button>
          </ActionsCell>
        </Tr>
      ))}
    </Table>
  );
}

function LastUse({ of: { lastUsedAt } }: { of: ListedKey }) {
  return lastUsedAt ? <Time at={lastUsedAt} /> : "Never";
}

/** The expiry date. Expired keys, and keys that expire soon, are labeled. */
function Expiry({ of: { expiresAt } }: { of: ListedKey }) {
  if (!expiresAt) return "Never";
  const left = Date.parse(expiresAt) - Date.now();
  if (left <= 0) return <Status tone="wrong">Expired</Status>;
  if (left > SOON_MS) return <Time at={expiresAt} />;
  return (
    <Status tone="warning">
      Soon: <Time at={expiresAt} />
    </Status>
  );
}

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { EmptyState } from "../../../components/states.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { serverPath, serverUrl } from "../../../data/server-address.ts";
import { ApiKeysTable, type ListedKey } from "./api-keys-table.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

/** The API keys of the organization. */
export function ApiKeysPage() {
  const { data: keys } = useSuspenseQuery(endpointQuery("listApiKeys"));
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ListedKey | null>(null);
  const make = (
    <Button variant="main" onClick={() => setMaking(true)}>
      Create API key
    </Button>
  );
  return (
    <Page
      isWide
      title="API"
      description="Programs authenticate with an API key. A key has your access to agents and their data: keep it on a server, never in a page."
      actions={keys.length > 0 && make}
    >
      {keys.length === 0 ? (
        <EmptyState
          title="No API keys yet"
          action={make}
          preview={<TablePreview columns={["Name", "Starts with", "Created", "Last used"]} />}
        >
          Create one to manage agents from a script, chat from your own server, or copy submissions to another system.
        </EmptyState>
      ) : (
        <ApiKeysTable keys={keys} onRevoke={setRevoking} />
      )}
      <div className="mt-10">
        <Section
          title="Base URL"
          description={
            <>
              Every request starts with this URL.{" "}
              <a href={serverPath("/docs/api")} className="text-ink underline underline-offset-2">
                API reference
              </a>
            </>
          }
        >
          <CopyField label="the address" text={serverUrl()} />
        </Section>
      </div>
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Page>
  );
}

function RevokeDialog({ apiKey: { id, name, lastUsedAt }, onClose }: { apiKey: ListedKey; onClose: () => void }) {
  const revoke = useEndpointMutation("deleteApiKey", { changes: ["listApiKeys"], done: `${name} revoked` });
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      action={`Revoke ${name}`}
      isOpen
      isBusy={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate({ id }, { onSuccess: onClose })}
    >
      <p>Programs that use it lose access immediately. You cannot restore it.</p>
      <p>{lastUsedAt ? `Last used on ${new Date(lastUsedAt).toLocaleString()}.` : "It was never used."}</p>
    </ConfirmDialog>
  );
}

import type { Output } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Page } from "../../../components/page.tsx";
import { EmptyState } from "../../../components/states.tsx";
import { toolTitle } from "../../../components/tool-title.ts";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { useAllTools } from "../use-all-tools.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { findSecretUses, type SecretUse } from "./secret-uses.ts";
import { SecretsTable } from "./secrets-table.tsx";

type Secret = Output<"listSecrets">[number];

/** In organizations with more agents than this, the tools that use a secret are not searched for. */
const SEARCHED_AGENTS = 50;

/** Named credentials for tools. Values can be set but never read. */
export function SecretsPage() {
  const { data: secrets } = useSuspenseQuery(endpointQuery("listSecrets"));
  const { byAgent, isLoading, hasMore, error } = useAllTools(SEARCHED_AGENTS);
  const uses = isLoading || hasMore || error ? null : findSecretUses(byAgent);
  const [editing, setEditing] = useState<Secret | "new" | null>(null);
  const [deleting, setDeleting] = useState<Secret | null>(null);
  const add = (
    <Button variant="main" onClick={() => setEditing("new")}>
      Create secret
    </Button>
  );
  return (
    <Page
      isWide
      title="Secrets"
      description={
        <>
          Credentials for the APIs your tools call. Use one in a tool's URL or headers as <code>{"{{NAME}}"}</code>.
          Values are stored encrypted and never shown again.
        </>
      }
      actions={secrets.length > 0 && add}
    >
      {secrets.length === 0 ? (
        <EmptyState
          title="No secrets yet"
          action={add}
          preview={<TablePreview columns={["Name", "Allowed hosts", "Used by", "Updated"]} />}
        >
          Store API keys here and use them by name in your tools. Visitors and the model never see the value.
        </EmptyState>
      ) : (
        <SecretsTable secrets={secrets} uses={uses} onReplace={setEditing} onDelete={setDeleting} />
      )}
      {editing && <SecretDialog secret={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
      {deleting && (
        <DeleteDialog
          name={deleting.name}
          uses={uses?.get(deleting.name) ?? []}
          isSearched={uses !== null}
          onClose={() => setDeleting(null)}
        />
      )}
    </Page>
  );
}

function DeleteDialog({
  name,
  uses,
  isSearched,
  onClose,
}: {
  name: string;
  uses: SecretUse[];
  isSearched: boolean;
  onClose: () => void;
}) {
  const remove = useEndpointMutation("deleteSecret", { changes: ["listSecrets"], done: `${name} deleted` });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ name }, { onSuccess: onClose })}
    >
      {uses.length > 0 && (
        <p className="text-ink">
          {uses.length === 1 ? "One tool uses it and will fail" : `${uses.length} tools use it and will fail`}:{" "}
          {uses.map(({ agentName, toolName }) => `${toolTitle(toolName)} of ${agentName}`).join(", ")}.
        </p>
      )}
      {uses.length === 0 && <p>{isSearched ? "No tool uses it." : "Tools that use it will fail."}</p>}
      <p>You cannot restore the value.</p>
    </ConfirmDialog>
  );
}

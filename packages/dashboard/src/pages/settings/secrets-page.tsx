import type { Output } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState } from "../../components/states.tsx";
import { ask, useCall } from "../../data/queries.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { findSecretUses, type SecretUse } from "./secret-uses.ts";
import { SecretsTable } from "./secrets-table.tsx";
import { useAllTools } from "./use-all-tools.ts";

type Secret = Output<"listSecrets">[number];

/** An account with more agents than this is not searched for who uses what. */
const SEARCHED_AGENTS = 50;

/** What tools send to other systems, by name: the values go in and never come out. */
export function SecretsPage() {
  const { data: secrets } = useSuspenseQuery(ask("listSecrets"));
  const { byAgent, isLoading, hasMore, error } = useAllTools(SEARCHED_AGENTS);
  const uses = isLoading || hasMore || error ? null : findSecretUses(byAgent);
  const [editing, setEditing] = useState<Secret | "new" | null>(null);
  const [deleting, setDeleting] = useState<Secret | null>(null);
  const add = (
    <Button look="main" onClick={() => setEditing("new")}>
      Add a secret
    </Button>
  );
  return (
    <Page
      title="Secrets"
      description={
        <>
          Keys of other systems, for tools that call them. A tool names one as <code>{"{{NAME}}"}</code> in its headers
          or its address. Values are kept encrypted and never shown again, to anybody.
        </>
      }
      actions={secrets.length > 0 && add}
    >
      {secrets.length === 0 ? (
        <EmptyState title="No secrets yet" action={add}>
          When a tool has to prove itself to another system, keep the key here and write its name into the tool. Neither
          visitors nor the model ever see the value.
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
  const remove = useCall("deleteSecret", { changes: ["listSecrets"], done: `${name} is deleted` });
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
          {uses.length === 1 ? "A tool names it and fails" : `${uses.length} tools name it and fail`} from then on:{" "}
          {uses.map(({ agentName, toolName }) => `${toolName} of ${agentName}`).join(", ")}.
        </p>
      )}
      {uses.length === 0 && <p>{isSearched ? "No tool names it." : "Tools that name it fail from then on."}</p>}
      <p>The value cannot be brought back.</p>
    </ConfirmDialog>
  );
}

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Page, Section } from "../../components/page.tsx";
import { ask, useCall } from "../../data/queries.ts";
import { ProviderDialog } from "./provider-dialog.tsx";
import { type Provider, ProviderRow } from "./provider-row.tsx";
import { UsableModels } from "./usable-models.tsx";

/** Where agents' replies come from: the server's providers, or the account's own keys in their place. */
export function ModelsPage() {
  const { data: providers } = useSuspenseQuery(ask("listProviders"));
  const [editing, setEditing] = useState<Provider | null>(null);
  const [removing, setRemoving] = useState<Provider | null>(null);
  const isBare = providers.every(({ source }) => source === null);
  return (
    <Page
      title="Models"
      description="Who answers for your agents. Your own key of a provider wins over the one that the server was started with."
    >
      {isBare && (
        <p className="mb-6 rounded-lg border border-line bg-raised px-4 py-3">
          <span className="font-medium">No provider is set up.</span> Agents answer with the demo, which knows what is
          in their instructions and their tools and no more. Set one up to have a real model answer.
        </p>
      )}
      <Section title="Providers">
        <ul className="border-t border-line">
          {providers.map((provider) => (
            <ProviderRow
              key={provider.provider}
              provider={provider}
              onEdit={() => setEditing(provider)}
              onRemove={() => setRemoving(provider)}
            />
          ))}
        </ul>
      </Section>
      <UsableModels labels={new Map(providers.map(({ provider, label }) => [provider, label]))} />
      {editing && <ProviderDialog provider={editing} onClose={() => setEditing(null)} />}
      {removing && <RemovingKey provider={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function RemovingKey({ provider: { provider, label }, onClose }: { provider: Provider; onClose: () => void }) {
  const changes = ["listProviders", "listModels"] as const;
  const remove = useCall("deleteProvider", {
    changes: [...changes],
    done: `Your own settings of ${label} are removed`,
  });
  return (
    <ConfirmDialog
      title={`Remove your own settings of ${label}?`}
      action={`Remove the settings of ${label}`}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ provider }, { onSuccess: onClose })}
    >
      <p>
        The key and the address are forgotten. Agents with a model of {label} go on with the server's own key, if it has
        one, and otherwise cannot answer.
      </p>
    </ConfirmDialog>
  );
}

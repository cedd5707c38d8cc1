import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { EmbeddingModel } from "./embedding-model.tsx";
import { PictureSupport } from "./picture-support.tsx";
import { ProviderDialog } from "./provider-dialog.tsx";
import { type Provider, ProviderRow } from "./provider-row.tsx";
import { ServerDialog } from "./server-dialog.tsx";
import { UsableModels } from "./usable-models.tsx";

/** The providers of models, with the server's keys or the organization's own. */
export function ModelsPage() {
  const { data: providers } = useSuspenseQuery(endpointQuery("listProviders"));
  const [editing, setEditing] = useState<Provider | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<Provider | null>(null);
  const isBare = providers.every(({ source }) => source === null);
  return (
    <Page
      title="Models"
      description="The providers and models your agents can use. A key you add here takes precedence over the one in the server's configuration."
    >
      {isBare && (
        <p className="mb-6 rounded-lg border border-line bg-raised px-4 py-3">
          <span className="font-medium">No provider is connected.</span> Agents use the demo, which only searches their
          instructions and calls their tools. Connect a provider to use a real model.
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
        <div>
          <Button onClick={() => setIsAdding(true)}>Add a server</Button>
        </div>
      </Section>
      <UsableModels labels={new Map(providers.map(({ provider, label }) => [provider, label]))} />
      <Section
        title="Prices"
        description="From prices per million tokens, Foyer calculates what replies cost, and limits the costs of agents with a budget."
      >
        <div>
          <ButtonLink to="/settings/models/prices">View prices</ButtonLink>
        </div>
      </Section>
      <EmbeddingModel />
      <PictureSupport />
      {editing && editing.kind === null && <ProviderDialog provider={editing} onClose={() => setEditing(null)} />}
      {editing && editing.kind !== null && <ServerDialog server={editing} onClose={() => setEditing(null)} />}
      {isAdding && <ServerDialog server={null} onClose={() => setIsAdding(false)} />}
      {removing && <RemoveKeyDialog provider={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function RemoveKeyDialog({ provider: { provider, label }, onClose }: { provider: Provider; onClose: () => void }) {
  const changes = ["listProviders", "listModels", "getDocumentEmbeddings"] as const;
  const remove = useEndpointMutation("deleteProvider", {
    changes: [...changes],
    done: `Your ${label} settings were removed`,
  });
  return (
    <ConfirmDialog
      title={`Remove your ${label} settings?`}
      action={`Remove ${label} settings`}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ provider }, { onSuccess: onClose })}
    >
      <p>
        This deletes the key and the address. Agents that use {label} fall back to the server's own key if there is one.
        Otherwise they stop answering.
      </p>
    </ConfirmDialog>
  );
}

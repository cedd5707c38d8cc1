import type { ModelPrice } from "@foyer/contract";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { BackLink } from "../../../components/back-link.tsx";
import { Button } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { DEMO_MODEL } from "../../agents/model-name.ts";
import { CostComparison } from "./cost-comparison.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { type PriceRow, toPriceRows } from "./price-rows.ts";
import { PricesTable } from "./prices-table.tsx";

/** The prices of models, from which the costs of replies are calculated. */
export function PricesPage() {
  const { data: prices } = useSuspenseQuery(endpointQuery("listModelPrices"));
  const rows = toPriceRows(prices, useModelsInUse());
  const currency = prices[0]?.currency ?? "USD";
  const [editing, setEditing] = useState<PriceRow | "new" | null>(null);
  const [removing, setRemoving] = useState<ModelPrice | null>(null);
  return (
    <Page
      isWide
      back={<BackLink to="/settings/models">Models</BackLink>}
      title="Prices"
      description={`In ${currency} per million tokens. Foyer calculates the cost of each reply when it is stored, so a new price changes no earlier reply.`}
      actions={
        <Button variant="main" onClick={() => setEditing("new")}>
          Add price
        </Button>
      }
    >
      <Section title="All models">
        <PricesTable rows={rows} onEdit={setEditing} onRemove={setRemoving} />
      </Section>
      <CostComparison models={prices.map(({ model }) => model)} />
      {editing && (
        <PriceDialog row={editing === "new" ? null : editing} currency={currency} onClose={() => setEditing(null)} />
      )}
      {removing && <RemoveDialog price={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

/** The models of all agents, and those that have answered in the last 30 days. The demo costs nothing. */
function useModelsInUse(): Set<string> {
  const agents = useQuery(endpointQuery("listAgents")).data ?? [];
  const answered = useQuery(endpointQuery("getConversationAnalytics", {})).data?.models ?? [];
  return new Set([...agents, ...answered].map(({ model }) => model).filter((model) => model !== DEMO_MODEL));
}

function RemoveDialog({ price: { model }, onClose }: { price: ModelPrice; onClose: () => void }) {
  const remove = useEndpointMutation("deleteModelPrice", {
    changes: ["listModelPrices", "estimateModelCosts"],
    done: `Your price of ${model} was removed`,
  });
  return (
    <ConfirmDialog
      title={`Remove your price of ${model}?`}
      action="Remove price"
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ model }, { onSuccess: onClose })}
    >
      <p>
        Later replies use the price that Foyer ships with. If there is none, their cost is unknown and counts towards no
        budget.
      </p>
    </ConfirmDialog>
  );
}

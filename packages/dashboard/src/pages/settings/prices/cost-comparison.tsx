import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Combobox } from "../../../components/combobox.tsx";
import { formatCost } from "../../../components/cost-text.ts";
import { Select } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { pluralize } from "../../../components/plural.ts";
import { Skeleton } from "../../../components/states.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { findPeriod, type Period, periods } from "./periods.ts";

/** What the replies of a period have cost, and would have cost with another model. */
export function CostComparison({ models }: { models: readonly string[] }) {
  const agents = useQuery(endpointQuery("listAgents")).data ?? [];
  const [agentId, setAgentId] = useState("");
  const [period, setPeriod] = useState<Period>("last-month");
  const [model, setModel] = useState("");
  const range = { ...findPeriod(period, new Date()), ...(agentId ? { agentId } : {}) };
  return (
    <Section
      title="Compare costs"
      description="What the same tokens would have cost with another model, at today's price. Another model writes longer or shorter replies, so take the result as an estimate."
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <Select label="Period" value={period} onChange={setPeriod} options={periods} />
        <Select
          label="Agent"
          value={agentId}
          onChange={setAgentId}
          options={[{ value: "", label: "All agents" }, ...agents.map(({ id, name }) => ({ value: id, label: name }))]}
        />
        <Combobox
          label="Other model"
          placeholder="Choose a model"
          className=""
          options={models.map((value) => ({ value }))}
          value={model}
          onChange={setModel}
          error={undefined}
        />
      </div>
      <div role="status">
        <dl className="grid gap-3 sm:grid-cols-2">
          <Figure name="As recorded" range={range} />
          {models.includes(model) && <Figure name={`With ${model}`} range={{ ...range, model }} />}
        </dl>
      </div>
    </Section>
  );
}

type Range = { from: string; to: string; agentId?: string; model?: string };

function Figure({ name, range }: { name: string; range: Range }) {
  const { data, error } = useQuery(endpointQuery("estimateModelCosts", range));
  return (
    <div className="rounded-lg border border-line px-4 py-3">
      <dt className="text-soft">{name}</dt>
      <dd>
        {error && <p className="text-wrong">{error.message}</p>}
        {!data && !error && <Skeleton className="h-12" />}
        {data && (
          <>
            <p className="text-2xl font-semibold tabular-nums">
              {data.cost === null ? "Unknown" : formatCost(data.cost, data.currency)}
            </p>
            <p className="text-sm text-soft">
              {data.cost === null ? "This model has no price." : describeReplies(data)}
            </p>
          </>
        )}
      </dd>
    </div>
  );
}

function describeReplies({ replies, unknownCostReplies }: { replies: number; unknownCostReplies: number }): string {
  const all = pluralize(replies, "reply", "replies");
  return unknownCostReplies === 0 ? all : `${all}, without ${unknownCostReplies.toLocaleString()} of unknown cost`;
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TextField } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Tag } from "../../../components/status.tsx";
import { endpointQuery } from "../../../data/queries.ts";

/** With more models than this, the list has a search field. */
const SEARCH_THRESHOLD = 12;

/** The models available from the connected providers. Fetching them takes a moment. */
export function UsableModels({ labels }: { labels: Map<string, string> }) {
  const { data, error, refetch } = useQuery({ ...endpointQuery("listModels"), staleTime: 60_000 });
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const found = data?.filter(({ id, isDefault }) => id.toLowerCase().includes(wanted) && (wanted || !isDefault));
  const standard = data?.find(({ isDefault }) => isDefault);
  const groups = [...Map.groupBy(found ?? [], ({ provider }) => provider)];
  return (
    <Section
      title="Available models"
      description="Models you can choose for an agent. Agents without a chosen model use the default."
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={3} label="Loading models" />}
      {standard && (
        <p className="flex flex-wrap items-center gap-2">
          <code className="font-mono">{standard.id}</code> <Tag>Default</Tag>
        </p>
      )}
      {data && data.length > SEARCH_THRESHOLD && (
        <TextField label="Search" type="search" value={search} onChange={setSearch} className="max-w-72" />
      )}
      {wanted && groups.length === 0 && <p className="text-soft">No models match.</p>}
      {groups.map(([provider, models]) => (
        <details key={provider} open={wanted !== "" || models.length <= SEARCH_THRESHOLD}>
          <summary className="py-1">
            <span className="font-medium">{labels.get(provider) ?? "Built in"}</span>{" "}
            <span className="text-soft">
              {models.length} {models.length === 1 ? "model" : "models"}
            </span>
          </summary>
          <ul className="grid gap-x-6 gap-y-1 py-2 ps-4 sm:grid-cols-2">
            {models.map(({ id, name }) => (
              <li key={id}>
                <code className="font-mono">{name}</code>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </Section>
  );
}

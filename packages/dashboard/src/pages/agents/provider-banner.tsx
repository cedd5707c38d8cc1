import { useQuery } from "@tanstack/react-query";
import { Button } from "../../components/button.tsx";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { DEMO_MODEL } from "./model-name.ts";

type Agent = { id: string; name: string; model: string };

/** Offers to switch the model when a provider is connected but the agent still answers with the demo. */
export function ProviderBanner({ agent: { id, name, model } }: { agent: Agent }) {
  const models = useQuery({ ...endpointQuery("listModels"), staleTime: 60_000 }).data ?? [];
  const update = useEndpointMutation("updateAgent", {
    edits: useAgentEdits(id),
    changes: ["listAgents"],
    done: "Model changed",
  });
  const real = models.filter((one) => one.id !== DEMO_MODEL);
  const standard = real.find(({ isDefault }) => isDefault) ?? real[0];
  if (model !== DEMO_MODEL || !standard) return null;
  return (
    <div
      role="status"
      className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-warning bg-raised px-4 py-3"
    >
      <p className="min-w-0 flex-1 basis-64">
        A provider is connected, but {name} still answers with the demo, which is not AI.
      </p>
      <Button
        isBusy={update.isPending}
        onClick={() => update.mutate({ id, body: { model: standard.isDefault ? null : standard.id } })}
      >
        Use {standard.id}
      </Button>
    </div>
  );
}

import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { Time } from "../../components/time.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { describeEmbedding } from "./embedding-text.ts";

export type Embeddings = Output<"getDocumentEmbeddings">;

const POLL_MS = 2_000;
/** Documents that others add begin to be embedded later. */
const IDLE_POLL_MS = 5_000;

/** Shown below an agent's documents: how many of their passages are embedded. */
export function AgentEmbeddings({ agentId }: { agentId: string }) {
  const { data } = useQuery({
    ...endpointQuery("getDocumentEmbeddings", { agentId }),
    refetchInterval: ({ state: { data: last } }) => (last?.state === "embedding" ? POLL_MS : IDLE_POLL_MS),
  });
  return data && data.model !== null ? (
    <div className="mt-3 text-sm">
      <EmbeddingProgress embeddings={data} />
    </div>
  ) : null;
}

/** How many passages have vectors, and why some have none. Empty when search by meaning is off. */
export function EmbeddingProgress({ embeddings }: { embeddings: Embeddings }) {
  const { model, error, oversizedAgentIds } = embeddings;
  if (model === null) return null;
  return (
    <div role="status" className="grid gap-1">
      <p className="text-soft">{describeEmbedding(embeddings)}</p>
      {oversizedAgentIds.length > 0 && (
        <p className="text-wrong">
          {oversizedAgentIds.length === 1 ? "1 agent has" : `${oversizedAgentIds.length} agents have`} too many passages
          to be searched by meaning, so only words are searched. Divide the documents among several agents, or choose a
          model with fewer dimensions.
        </p>
      )}
      {error && (
        <p className="break-words text-wrong">
          Embedding failed at <Time at={error.at} />: {error.message} Agents search by words until it works.
        </p>
      )}
    </div>
  );
}

import type { DocumentEmbeddings } from "@foyer/contract";
import { HOUR_MS } from "@foyer/contract/rules/time";
import type { AgentService } from "../../agents/service.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../errors.ts";
import { EmbeddingError } from "../../models/embedding-error.ts";
import type { EmbeddingScope, EmbeddingStore } from "./store.ts";

/** The time limit for testing a model, in milliseconds. A local server may have to load the model first. */
const TRIAL_MS = 20_000;
/** How long a failure to embed a question is reported, in milliseconds, unless a later question succeeds. */
const REPORTED_MS = HOUR_MS;

export type EmbeddingService = ReturnType<typeof createEmbeddingService>;

type Parts = {
  models: Pick<Deps["models"], "embedder" | "suggestedEmbeddings">;
  agents: Pick<AgentService, "get">;
  store: EmbeddingStore;
  /** Called with the agents whose vectors are no longer needed. */
  onChosen(agentIds: readonly string[]): void;
};

/** Manages the choice of an organization's embedding model and reports the progress of embedding its passages. */
export function createEmbeddingService({ models, agents, store, onChosen }: Parts) {
  async function readStatus(scope: EmbeddingScope): Promise<DocumentEmbeddings> {
    const settings = await store.settings(scope.organizationId);
    const suggestions = await models.suggestedEmbeddings(scope.organizationId);
    const passages = await store.countPassages(scope);
    if (!settings) {
      return {
        model: null,
        state: "off",
        passages,
        vectors: 0,
        skipped: 0,
        tokens: 0,
        oversizedAgentIds: [],
        error: null,
        suggestions,
      };
    }
    const { model, queryError, queryErrorAt } = settings;
    const { waiting, ...progress } = await store.progress(scope, model);
    const isReported = queryErrorAt !== null && queryErrorAt > Date.now() - REPORTED_MS;
    const question = isReported ? { message: queryError ?? "", at: queryErrorAt } : null;
    const error = (await store.newestFailure(scope, model)) ?? question;
    const isComplete = waiting === 0 && progress.vectors + progress.skipped >= passages;
    return {
      model,
      state: error ? "failing" : isComplete ? "ready" : "embedding",
      passages,
      ...progress,
      oversizedAgentIds: await store.oversizedAgents(scope, model),
      error: error && { message: error.message, at: new Date(error.at).toISOString() },
      suggestions,
    };
  }

  /** Embeds one word, so that a wrong name or key is reported while the admin is choosing the model. */
  async function tryOut(organizationId: string, model: string): Promise<void> {
    try {
      const embedder = await models.embedder(organizationId, model);
      await embedder.embed({ texts: ["Hello"], purpose: "query", timeoutMs: TRIAL_MS });
    } catch (error) {
      if (!(error instanceof EmbeddingError) && !(error instanceof AppError)) throw error;
      throw invalid("model", `The model cannot be used. ${error.message}`);
    }
  }

  return {
    /** Reads the status of one agent, or with null of the whole organization. */
    async status(organizationId: string, agentId: string | null): Promise<DocumentEmbeddings> {
      if (agentId !== null) await agents.get(organizationId, agentId);
      return readStatus({ organizationId, agentId });
    },
    /**
     * Changes the embedding model; null turns search by meaning off and deletes the vectors. Choosing the current model
     * again retries failures immediately.
     */
    async choose(organizationId: string, model: string | null): Promise<DocumentEmbeddings> {
      if (model !== null) await tryOut(organizationId, model);
      onChosen(await store.choose(organizationId, model));
      return readStatus({ organizationId, agentId: null });
    },
  };
}

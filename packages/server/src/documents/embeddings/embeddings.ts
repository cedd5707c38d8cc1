import type { AgentService } from "../../agents/service.ts";
import type { Deps } from "../../deps.ts";
import { createTokenBudgets } from "../../plans/token-budget.ts";
import { createEmbedAgent } from "./embed-agent.ts";
import { createQueryEmbedder } from "./embed-queries.ts";
import { createEmbeddingQueue } from "./embedding-queue.ts";
import { createEmbeddingService } from "./service.ts";
import { createEmbeddingStore } from "./store.ts";
import { createEmbeddingWorker } from "./worker.ts";

/**
 * Creates the parts that handle embeddings and connects them.
 * @param maintain deletes the vectors of an agent that are no longer needed, in the background
 */
export function createEmbeddings(deps: Deps, agents: AgentService, maintain: (agentId: string) => void) {
  const { models, log } = deps;
  const budgets = createTokenBudgets(deps);
  const queue = createEmbeddingQueue({ ...deps, budgets });
  const run = createEmbedAgent({ queue, models, budgets, log, onReplaced: maintain });
  const worker = createEmbeddingWorker({ queue, run, log });
  const queries = createQueryEmbedder({ ...deps, budgets });
  const service = createEmbeddingService({
    models,
    agents,
    store: createEmbeddingStore(deps),
    onChosen(agentIds) {
      for (const agentId of agentIds) maintain(agentId);
      worker.notify();
    },
  });
  return {
    service,
    embedQueries: queries.embed,
    notify: worker.notify,
    start: worker.start,
    async stop(): Promise<void> {
      await Promise.all([worker.stop(), queries.stop()]);
    },
  };
}

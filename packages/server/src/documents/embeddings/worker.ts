import type { Logger } from "pino";
import { createSharedWorker } from "../../jobs/shared-worker.ts";
import type { EmbedAgent } from "./embed-agent.ts";
import type { EmbeddingQueue } from "./embedding-queue.ts";

/** The maximum number of agents that are embedded concurrently, each with one request to its provider. */
const MAX_CONCURRENT = 8;
/**
 * The interval at which agents without a plan are looked for, in milliseconds. Such agents were created while the model
 * was being changed, for example.
 */
const ADD_MISSING_EVERY_MS = 60_000;

type Parts = { queue: EmbeddingQueue; run: EmbedAgent; log: Logger };

/** Embeds passages until it is stopped. Several processes can share one queue. */
export function createEmbeddingWorker({ queue, run, log }: Parts) {
  let addedAt = Number.NEGATIVE_INFINITY;
  return createSharedWorker({
    name: "embedding_jobs",
    size: MAX_CONCURRENT,
    queue: {
      ...queue,
      async claim(limit, exceptOrganizations) {
        if (performance.now() - addedAt > ADD_MISSING_EVERY_MS) {
          await queue.addMissing();
          addedAt = performance.now();
        }
        return queue.claim(limit, exceptOrganizations);
      },
    },
    run,
    log,
    jobName: "embedding",
    idOf: ({ agentId }) => agentId,
  });
}

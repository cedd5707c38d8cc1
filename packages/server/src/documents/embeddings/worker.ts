import type { Logger } from "pino";
import { createLeasedWorker } from "../leased-worker.ts";
import type { EmbedAgent } from "./embed-agent.ts";
import { type EmbeddingQueue, LEASE_MS } from "./embedding-queue.ts";

/** Agents at once, each with one request to its provider. */
const MAX_CONCURRENT = 4;
/** An organization with many agents or a slow provider must not keep others waiting. */
const MAX_PER_ORGANIZATION = 2;
/** How often agents are looked for whose embedding was not planned, for example while their model was changed. */
const ADD_MISSING_EVERY_MS = 60_000;

type Parts = { queue: EmbeddingQueue; run: EmbedAgent; log: Logger };

/** Embeds passages as long as it runs. Several processes may share one queue. */
export function createEmbeddingWorker({ queue, run, log }: Parts) {
  let addedAt = Number.NEGATIVE_INFINITY;
  return createLeasedWorker({
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
    leaseMs: LEASE_MS,
    maxConcurrent: MAX_CONCURRENT,
    maxPerGroup: MAX_PER_ORGANIZATION,
    groupOf: ({ organizationId }) => organizationId,
    jobName: "embedding",
    idOf: ({ agentId }) => agentId,
  });
}

import type { Logger } from "pino";
import { createLeasedWorker } from "../leased-worker.ts";
import type { EmbedAgent } from "./embed-agent.ts";
import { type EmbeddingQueue, LEASE_MS } from "./embedding-queue.ts";

/** The maximum number of agents that are embedded concurrently, each with one request to its provider. */
const MAX_CONCURRENT = 5;
/**
 * The maximum number per organization. It prevents an organization with many agents or a slow provider from blocking
 * others.
 */
const MAX_PER_ORGANIZATION = 2;
/**
 * The interval at which agents without a plan are looked for, in milliseconds. Such agents were created while the model
 * was being changed, for example.
 */
const ADD_MISSING_EVERY_MS = 60_000;

type Parts = { queue: EmbeddingQueue; run: EmbedAgent; log: Logger };

/** Embeds passages until it is stopped. Several processes can share one queue. */
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

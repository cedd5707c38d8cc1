import type { Logger } from "pino";
import { createSharedWorker } from "../../jobs/shared-worker.ts";
import type { RunJob } from "../../jobs/worker.ts";
import type { SyncJob, SyncQueue } from "./sync-queue.ts";

/** The maximum number of concurrent syncs. Each sync spends most of its time waiting for its site. */
const MAX_CONCURRENT = 12;

type Parts = { queue: SyncQueue; run: RunJob<SyncJob>; log: Logger };

/** Crawls sites until it is stopped. Several processes can share one queue. */
export function createSiteWorker({ queue, run, log }: Parts) {
  return createSharedWorker({
    name: "site_syncs",
    size: MAX_CONCURRENT,
    queue,
    run,
    log,
    jobName: "site",
    idOf: ({ id }) => id,
  });
}

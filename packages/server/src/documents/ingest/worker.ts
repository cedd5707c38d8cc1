import type { Logger } from "pino";
import { createSharedWorker } from "../../jobs/shared-worker.ts";
import type { RunJob } from "../../jobs/worker.ts";
import type { JobQueue, LeasedJob } from "./job-queue.ts";

/**
 * The maximum number of concurrent jobs. Only a few files are extracted at the same time, while other jobs fetch or
 * write.
 */
const MAX_CONCURRENT = 24;

type Parts = { queue: JobQueue; run: RunJob<LeasedJob>; log: Logger };

/** Processes documents until it is stopped. Several processes can share one queue. */
export function createDocumentWorker({ queue, run, log }: Parts) {
  return createSharedWorker({
    name: "document_jobs",
    size: MAX_CONCURRENT,
    queue,
    run,
    log,
    jobName: "document",
    idOf: ({ documentId }) => documentId,
  });
}

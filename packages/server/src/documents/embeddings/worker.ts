import type { Logger } from "pino";
import type { EmbedAgent } from "./embed-agent.ts";
import type { EmbeddingQueue } from "./embedding-queue.ts";

/** Agents at once, each with one request to its provider. */
const MAX_CONCURRENT = 4;
const POLL_INTERVAL_MS = 2_000;
/** How often agents are looked for whose embedding was not planned, for example while their model was changed. */
const ADD_MISSING_EVERY_MS = 60_000;

type Parts = { queue: EmbeddingQueue; run: EmbedAgent; log: Pick<Logger, "error"> };

/** Embeds passages as long as it runs. Several processes may share one queue. */
export function createEmbeddingWorker({ queue, run, log }: Parts) {
  const running = new Set<Promise<void>>();
  const stopped = new AbortController();
  let wake = () => {};
  let isSignaled = false;
  let addedAt = Number.NEGATIVE_INFINITY;
  let loop = Promise.resolve();

  function notify(): void {
    isSignaled = true;
    wake();
  }

  async function claim(): Promise<void> {
    const free = MAX_CONCURRENT - running.size;
    if (free <= 0) return;
    if (performance.now() - addedAt > ADD_MISSING_EVERY_MS) {
      await queue.addMissing();
      addedAt = performance.now();
    }
    for (const job of await queue.claim(free)) {
      const work = run(job, stopped.signal)
        .catch((error: unknown) => log.error({ err: error, agentId: job.agentId }, "passages could not be embedded"))
        .finally(() => {
          running.delete(work);
          notify();
        });
      running.add(work);
    }
  }

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      isSignaled = false;
      await claim().catch((error: unknown) => log.error({ err: error }, "passages to embed could not be claimed"));
      if (isSignaled) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_INTERVAL_MS).unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  return {
    /** Call it when passages were added or the model was changed. */
    notify,
    start(): void {
      loop = work();
    },
    /** Claims nothing more, and gives back what is under way. */
    async stop(): Promise<void> {
      stopped.abort(new Error("The server is shutting down."));
      notify();
      await loop;
      await Promise.all(running);
    },
  };
}

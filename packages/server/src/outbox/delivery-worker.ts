import type { Logger } from "pino";
import { createWorker } from "../jobs/worker.ts";
import { MAX_SLOT_WAIT_MS } from "./delivery-lease.ts";
import { type DeliveryQueue, type Except, type LeasedDelivery, nothing } from "./delivery-queue.ts";
import { createDeliverySlots } from "./delivery-slots.ts";
import { createDueClaims } from "./due-claims.ts";

/**
 * Makes one attempt at a leased delivery and records the outcome. Rejects if the attempt could not be made or recorded.
 * @param options.onResponse called when the receiver has responded; from then on, another delivery may use its slot
 * @returns the deliveries that the outcome unblocked, leased to this process
 */
export type RunDelivery = (
  delivery: LeasedDelivery,
  options: { signal: AbortSignal; onResponse: () => void },
) => Promise<LeasedDelivery[]>;

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>;

type WorkerOptions = {
  queue: DeliveryQueue;
  run: RunDelivery;
  log: Logger;
  /** a clock in milliseconds; tests replace it */
  now?: () => number;
};

/**
 * Creates the worker that makes deliveries when they are due. A slow host can use only its own slots, and an organization
 * only its share of all slots, so neither delays other deliveries. Emails need only the slots of the mail server's host.
 * Several processes may share one queue.
 */
export function createDeliveryWorker({ queue, run, log, now = () => performance.now() }: WorkerOptions) {
  const slots = createDeliverySlots();
  const claims = createDueClaims(queue, now);
  /**
   * What the last claim left in the queue: the deliveries in `except`, or any deliveries because too many attempts were
   * running (`isFull`). When a released slot changes this, the worker claims again without waiting for the next poll.
   */
  let skipped: { except: Except; isFull: boolean } = { except: nothing, isFull: false };

  const worker = createWorker<LeasedDelivery>({
    async claim() {
      const { limit, ...planned } = slots.planClaim();
      // Set this before the claim, so that a slot that becomes free in the meantime ends the next wait.
      skipped = planned;
      const jobs = await claims.claim(limit, skipped.except);
      return { jobs, hasMore: jobs.length === limit && !skipped.isFull };
    },
    run: (delivery, signal) => runDelivery(delivery, { signal, maxWaitMs: MAX_SLOT_WAIT_MS }),
    leaseMs: queue.leaseMs,
    async renew() {
      await queue.renew();
      // The outcome of an attempt whose lease was lost is not recorded, but the attempt itself continues.
      return [];
    },
    release: queue.requeue,
    log,
    jobName: "delivery",
    idOf: ({ id }) => id,
  });

  /**
   * Runs one leased delivery to completion: waits for a slot of its organization and one at its host, makes the attempt,
   * records the outcome, and runs the deliveries that the outcome unblocked. Rejects if the attempt could not be made or
   * recorded.
   */
  async function runDelivery(
    delivery: LeasedDelivery,
    { signal, maxWaitMs }: { signal: AbortSignal; maxWaitMs: number },
  ): Promise<void> {
    const unhold = queue.hold(delivery);
    if (!unhold) return;
    let unblocked: LeasedDelivery[] = [];
    try {
      unblocked = await attempt(delivery, { signal, maxWaitMs });
    } finally {
      unhold();
      if (skipped.isFull || slots.isClaimableAgain(delivery, skipped.except)) worker.notify();
    }
    await Promise.all(unblocked.map((next) => runNow(next, maxWaitMs)));
  }

  async function attempt(
    delivery: LeasedDelivery,
    { signal, maxWaitMs }: { signal: AbortSignal; maxWaitMs: number },
  ): Promise<LeasedDelivery[]> {
    const taken = await slots.acquire(delivery, maxWaitMs, signal);
    if (!taken) {
      await queue.requeue(delivery);
      return [];
    }
    const onResponse = () => {
      taken.releaseHost();
      if (slots.isClaimableAgain(delivery, skipped.except)) worker.notify();
    };
    try {
      return await run(delivery, { signal, onResponse });
    } finally {
      taken.release();
      onResponse();
    }
  }

  const runNow = (delivery: LeasedDelivery, maxWaitMs: number): Promise<void> =>
    worker.run(delivery, (_, signal) =>
      runDelivery(delivery, { signal, maxWaitMs: Math.min(maxWaitMs, MAX_SLOT_WAIT_MS) }),
    );

  return {
    start: worker.start,
    /** Stops claiming deliveries, waits up to `timeoutMs` for running attempts, then returns these to the queue. */
    stop: worker.stop,
    /**
     * Returns the number of new deliveries of an organization to a host that may be leased to this process while they are
     * written. Pass these to `startAttempt`. Further deliveries wait in the queue, behind those that are already there.
     */
    countFreeSlots({ organizationId, host }: Pick<LeasedDelivery, "organizationId" | "host">): number {
      const { organizations, hosts, pairs } = skipped.except;
      const isSkipped =
        organizations.includes(organizationId) ||
        hosts.includes(host) ||
        pairs.some((pair) => pair.owner === organizationId && pair.host === host);
      return !worker.isRunning() || isSkipped ? 0 : slots.countFree({ organizationId, host, type: "webhook" });
    },
    /** Starts the attempt at a delivery that was leased to this process when it was written. */
    startAttempt(delivery: LeasedDelivery): void {
      void worker.run(delivery);
    },
    /** Claims due deliveries now instead of at the next poll. Call it after the transaction that enqueued them. */
    notify(): void {
      claims.announce();
      worker.notify();
    },
    /**
     * Makes the attempt now, then attempts the deliveries that it unblocks, and resolves when all of them are recorded.
     * If the host has no free slot within `maxWaitMs`, the delivery is returned to the queue.
     */
    runNow,
    /**
     * Runs several deliveries while a client waits. Resolves after `waitMs` at the latest, while the attempts continue.
     */
    async runWithin(deliveries: readonly LeasedDelivery[], waitMs: number): Promise<void> {
      await waitAtMost(waitMs, Promise.all(deliveries.map((delivery) => runNow(delivery, waitMs))));
    },
  };
}

/** Resolves when `work` is done, but after `waitMs` at the latest. */
async function waitAtMost(waitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

import type { Logger } from "pino";
import { MAX_SLOT_WAIT_MS } from "./delivery-lease.ts";
import { type DeliveryQueue, type Except, type LeasedDelivery, nothing } from "./delivery-queue.ts";
import { createDeliverySlots } from "./delivery-slots.ts";
import { createDueClaims } from "./due-claims.ts";
import { createLeaseRenewal } from "./lease-renewal.ts";

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

const POLL_MS = 1_000;
const POLL_AFTER_FAILURE_MS = 5_000;
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
  const requeue = createRequeue(queue, log);
  const running = new Set<Promise<void>>();
  const stopped = new AbortController();
  const wakeSignal = createWakeSignal();
  const claims = createDueClaims({ queue, log, now });
  const renewal = createLeaseRenewal(queue, log);
  /** Also true before `start`, so that no delivery is leased to a worker that is not running. */
  let isStopping = true;
  /**
   * What the last claim left in the queue: the deliveries in `except`, or any deliveries because too many attempts were
   * running (`isFull`). When a released slot changes this, the worker claims again without waiting for the next poll.
   */
  let skipped: { except: Except; isFull: boolean } = {
    except: nothing,
    isFull: false,
  };
  let loop = Promise.resolve();

  function notifyIfClaimable(delivery: LeasedDelivery): void {
    if (skipped.isFull || slots.isClaimableAgain(delivery, skipped.except)) wakeSignal.notify();
  }

  function track(delivery: LeasedDelivery, maxWaitMs: number): Promise<void> {
    const promise = runAttempt(delivery, maxWaitMs).finally(() => {
      running.delete(promise);
      notifyIfClaimable(delivery);
    });
    running.add(promise);
    return promise;
  }

  /**
   * Runs one leased delivery to completion: waits for a slot of its organization and one at its host, makes the attempt,
   * records the outcome, and starts the deliveries that the outcome unblocked. Errors are logged, never thrown.
   */
  async function runAttempt(delivery: LeasedDelivery, maxWaitMs: number): Promise<void> {
    const unhold = queue.hold(delivery);
    if (!unhold) return;
    const taken = await slots.acquire(delivery, maxWaitMs, stopped.signal);
    if (!taken) return requeue(delivery).finally(unhold);
    const onResponse = () => {
      taken.releaseHost();
      if (slots.isClaimableAgain(delivery, skipped.except)) wakeSignal.notify();
    };
    let unblocked: LeasedDelivery[] = [];
    try {
      unblocked = await run(delivery, { signal: stopped.signal, onResponse });
    } catch (error) {
      if (!stopped.signal.aborted)
        log.error({ err: error, deliveryId: delivery.id }, "a delivery attempt failed unexpectedly");
      // Requeue with a delay. Otherwise, a delivery that fails instantly would be claimed in a loop and starve the
      // others.
      await requeue(delivery, stopped.signal.aborted ? 0 : POLL_MS);
    } finally {
      taken.release();
      onResponse();
      unhold();
    }
    await Promise.all(unblocked.map((next) => track(next, maxWaitMs)));
  }

  async function runLoop() {
    while (!isStopping) {
      const { limit, ...planned } = slots.planClaim();
      // Set this before the claim, so that a slot that becomes free in the meantime ends the next wait.
      skipped = planned;
      const claimed = await claims.claim(limit, skipped.except);
      if (isStopping) await Promise.all((claimed ?? []).map((delivery) => requeue(delivery)));
      else for (const delivery of claimed ?? []) void track(delivery, MAX_SLOT_WAIT_MS);
      if (claimed?.length === limit && !skipped.isFull) continue;
      await wakeSignal.wait(claimed ? POLL_MS : POLL_AFTER_FAILURE_MS);
    }
  }

  return {
    /** Starts polling the queue and renewing the leases of running deliveries. */
    start(): void {
      renewal.start();
      isStopping = false;
      loop = runLoop();
    },
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
      return isStopping || isSkipped ? 0 : slots.countFree({ organizationId, host, type: "webhook" });
    },
    /** Starts the attempt at a delivery that was leased to this process when it was written. */
    startAttempt(delivery: LeasedDelivery): void {
      void track(delivery, MAX_SLOT_WAIT_MS);
    },
    /** Claims due deliveries now instead of at the next poll. Call it after the transaction that enqueued them. */
    notify(): void {
      claims.announce();
      wakeSignal.notify();
    },
    /**
     * Makes the attempt now, then attempts the deliveries that it unblocks, and resolves when all of them are recorded.
     * If the host has no free slot within `maxWaitMs`, the delivery is returned to the queue.
     */
    runNow(delivery: LeasedDelivery, maxWaitMs: number): Promise<void> {
      return track(delivery, Math.min(maxWaitMs, MAX_SLOT_WAIT_MS));
    },
    /**
     * Runs several deliveries while a client waits. Resolves after `waitMs` at the latest, while the attempts continue.
     */
    async runWithin(deliveries: readonly LeasedDelivery[], waitMs: number): Promise<void> {
      await waitAtMost(waitMs, Promise.all(deliveries.map((delivery) => this.runNow(delivery, waitMs))));
    },
    /**
     * Stops claiming deliveries, waits up to `timeoutMs` for running attempts, then returns these deliveries to the
     * queue.
     */
    async stop(timeoutMs: number): Promise<void> {
      isStopping = true;
      wakeSignal.notify();
      const abortTimer = setTimeout(() => stopped.abort(), timeoutMs);
      await loop;
      while (running.size > 0) await Promise.all(running);
      clearTimeout(abortTimer);
      renewal.stop();
      // Also return deliveries that arrive while the rest of the server shuts down to the queue.
      stopped.abort();
    },
  };
}

/**
 * @returns a function that returns a delivery to the outbox; if that fails, another process can claim it once its lease
 * expires
 */
function createRequeue(queue: DeliveryQueue, log: Logger) {
  return (delivery: LeasedDelivery, dueInMs = 0): Promise<void> =>
    queue
      .requeue(delivery, dueInMs)
      .catch((error: unknown) => log.warn({ err: error }, "a delivery could not be returned to the outbox"));
}

/** Resolves when `work` is done, but after `waitMs` at the latest. */
async function waitAtMost(waitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

/**
 * Creates a signal. `wait` resolves after a timeout or on `notify`. If `notify` is called while nothing waits, the next
 * `wait` resolves immediately.
 */
function createWakeSignal() {
  let isNotified = false;
  let wake = () => {};
  return {
    notify() {
      isNotified = true;
      wake();
    },
    async wait(ms: number) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (isNotified) wake();
      });
      isNotified = false;
    },
  };
}

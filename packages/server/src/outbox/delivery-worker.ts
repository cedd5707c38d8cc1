import type { Logger } from "pino";
import { PATIENCE_MS } from "./delivery-lease.ts";
import type { DeliveryQueue, Leased } from "./delivery-queue.ts";
import { createHostPlaces } from "./host-semaphore.ts";

/**
 * Makes one attempt at a leased delivery and records it. @returns deliveries that may go on now, leased to this process;
 * rejects when the attempt was not made or could not be recorded
 */
export type RunDelivery = (delivery: Leased, signal: AbortSignal) => Promise<Leased[]>;

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>;

const POLL_MS = 1_000;
const POLL_AFTER_TROUBLE_MS = 5_000;
/** Attempts at once, in all and to one host. A host with half of its places taken gets no more from the queue. */
const PLACES = 1_024;
const PLACES_A_HOST = 32;
const CLAIM = PLACES_A_HOST / 2;

/**
 * Sends what is due, as long as it runs. A host that is slow has few places and holds up nobody else. Several processes
 * may share one queue.
 */
export function createDeliveryWorker({ queue, run, log }: { queue: DeliveryQueue; run: RunDelivery; log: Logger }) {
  const places = createHostPlaces(PLACES_A_HOST);
  const running = new Set<Promise<void>>();
  const stopped = new AbortController();
  const bell = createBell();
  let isStopping = false;
  /** the last look at the queue left something there */
  let hasMore = false;
  let loop = Promise.resolve();

  function track(delivery: Leased, patienceMs: number): Promise<void> {
    const promise = attempt(delivery, patienceMs).finally(() => {
      running.delete(promise);
      if (hasMore) bell.ring();
    });
    running.add(promise);
    return promise;
  }

  /** From the wait for a place to the record, with all that the record lets go on. Never rejects. */
  async function attempt(delivery: Leased, patienceMs: number): Promise<void> {
    const leave = await places.take(delivery.host, patienceMs, stopped.signal);
    if (!leave) return giveBack(delivery);
    let released: Leased[] = [];
    try {
      released = await run(delivery, stopped.signal);
    } catch (error) {
      if (!stopped.signal.aborted) log.error({ err: error, deliveryId: delivery.id }, "a delivery could not be tried");
      // What fails at once, and is due at once, would be claimed for ever, with a turn for nothing else.
      await giveBack(delivery, stopped.signal.aborted ? 0 : POLL_MS);
    } finally {
      leave();
    }
    await Promise.all(released.map((next) => track(next, patienceMs)));
  }

  /** When even this fails, the lease ends by itself. */
  async function giveBack(delivery: Leased, dueInMs = 0) {
    await queue
      .giveBack(delivery, dueInMs)
      .catch((error: unknown) => log.warn({ err: error }, "a lease was not given back"));
  }

  async function work() {
    while (!isStopping) {
      const busy = places.busy(PLACES_A_HOST - CLAIM);
      const limit = Math.min(PLACES - running.size, CLAIM);
      const claimed = limit > 0 ? await claim(limit, busy) : [];
      if (isStopping) await Promise.all((claimed ?? []).map((delivery) => giveBack(delivery)));
      else for (const delivery of claimed ?? []) void track(delivery, PATIENCE_MS);
      if (claimed?.length === limit && limit === CLAIM) continue;
      hasMore = busy.length > 0 || claimed?.length === limit;
      await bell.wait(claimed ? POLL_MS : POLL_AFTER_TROUBLE_MS);
    }
  }

  /** @returns null when the database does not answer */
  async function claim(limit: number, exceptHosts: string[]) {
    try {
      return await queue.claim(limit, exceptHosts);
    } catch (error) {
      log.error({ err: error }, "deliveries could not be claimed; trying again");
      return null;
    }
  }

  return {
    /** Looks for what is due, from now on. */
    start(): void {
      loop = work();
    },
    /**
     * Makes the attempt now, with whatever it lets go on, and resolves when all of that is recorded. It is left to the
     * queue when it finds no place within `patienceMs`.
     */
    runNow(delivery: Leased, patienceMs: number): Promise<void> {
      return track(delivery, Math.min(patienceMs, PATIENCE_MS));
    },
    /** The same for several, for somebody who waits: resolves after `waitMs` at the latest, and the attempts go on. */
    async runWithin(deliveries: readonly Leased[], waitMs: number): Promise<void> {
      const { promise: waited, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, waitMs);
      await Promise.race([Promise.all(deliveries.map((delivery) => this.runNow(delivery, waitMs))), waited]);
      clearTimeout(timer);
    },
    /** Takes nothing more; attempts under way have `timeoutMs`, then they are given back to the queue. */
    async stop(timeoutMs: number): Promise<void> {
      isStopping = true;
      bell.ring();
      const cutOff = setTimeout(() => stopped.abort(), timeoutMs);
      await loop;
      while (running.size > 0) await Promise.all(running);
      clearTimeout(cutOff);
      // What is still handed in while the rest of the server goes down is left to the queue, too.
      stopped.abort();
    },
  };
}

/** `wait` ends after some time or when it rings; a ring while nobody waits is heard by the next who does. */
function createBell() {
  let hasRung = false;
  let answer = () => {};
  return {
    ring() {
      hasRung = true;
      answer();
    },
    async wait(ms: number) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        answer = () => {
          clearTimeout(timer);
          resolve();
        };
        if (hasRung) answer();
      });
      hasRung = false;
    },
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../db/database-errors.ts";
import type { DeliveryKind } from "../db/tables/outbox.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { failpoint } from "../failpoints.ts";
import { type AttemptResult, type CompletedAttempt, createAttemptLog, determineNext } from "./attempts.ts";
import { calculateLeaseMs } from "./delivery-lease.ts";
import { createDeliveryQueue, type LeasedDelivery } from "./delivery-queue.ts";
import { createDeliveryWorker, type RunDelivery } from "./delivery-worker.ts";

/**
 * The result of an attempt after which the receiver requested a pause. The attempt does not count, and the delivery is
 * due again after the pause.
 */
export type Postponed = { postponedMs: number };

/** One delivery, ready to be sent. */
export type OpenDelivery = {
  /**
   * Makes one attempt. A failure of the receiver is part of the result. Rejects if the attempt could not be made, in
   * which case it does not count.
   */
  send(): Promise<AttemptResult | Postponed>;
  /** Releases the resources that `open` reserved, after the attempt was recorded or abandoned. */
  close?(): void;
};

/** Sends the deliveries of one kind, and records the effects of an attempt. */
export type DeliveryHandler = {
  /** @returns null when the delivery's subject was deleted */
  open(delivery: LeasedDelivery, signal: AbortSignal): Promise<OpenDelivery | null>;
  /**
   * Records an attempt with its effects in one transaction.
   * @returns the deliveries that the attempt unblocked, leased to this process
   */
  record(attempt: CompletedAttempt): Promise<LeasedDelivery[]>;
};

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * The first wait before an outcome is recorded again, in milliseconds. Each further wait is twice as long as the
 * previous one.
 */
const FIRST_RECORD_WAIT_MS = 100;
/**
 * The number of times that the database may reject the effects of an attempt before only the delivery's state is
 * recorded.
 */
const MAX_REJECTIONS = 8;
const MAX_RECORD_WAIT_MS = 30_000;

/**
 * Creates the outbox for everything that Foyer delivers to other servers: one queue and one worker for all kinds of
 * deliveries. Each kind registers a handler before the worker starts.
 * @param pause waits before an outcome is recorded again; tests replace it
 */
export function createOutbox(deps: Pick<Deps, "db" | "databaseKind" | "config" | "log">, pause = sleep) {
  const { log } = deps;
  const { schedule } = deps.config.webhooks;
  const queue = createDeliveryQueue(deps, calculateLeaseMs(deps.config));
  const handlers = new Map<DeliveryKind, DeliveryHandler>();
  const worker = createDeliveryWorker({ queue, run, log });

  async function run(
    delivery: LeasedDelivery,
    { signal, onResponse }: Parameters<RunDelivery>[1],
  ): Promise<LeasedDelivery[]> {
    const handler = handlers.get(delivery.kind);
    if (!handler) throw new Error(`No handler is registered for deliveries of the kind ${delivery.kind}.`);
    const openDelivery = await handler.open(delivery, signal);
    if (!openDelivery) return [];
    try {
      const outcome = await makeAttempt(delivery, openDelivery.send);
      onResponse();
      if ("postponedMs" in outcome) {
        await queue.requeue(delivery, outcome.postponedMs);
        return [];
      }
      const released = await record(handler, outcome, signal);
      failpoint("delivery.recorded");
      return released;
    } finally {
      openDelivery.close?.();
    }
  }

  /**
   * Records an attempt, and retries until the database accepts it. The receiver already has the delivery, so sending it
   * again would create a duplicate. `signal` ends the current wait, after which one last try is made.
   *
   * If the database keeps rejecting an outcome although it is available, retrying would hold the delivery until the
   * process ends. In this case, only the delivery's state is recorded.
   */
  async function record(
    handler: DeliveryHandler,
    completed: CompletedAttempt,
    signal: AbortSignal,
  ): Promise<LeasedDelivery[]> {
    const deliveryId = completed.delivery.id;
    let rejections = 0;
    for (let waitMs = FIRST_RECORD_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_RECORD_WAIT_MS)) {
      try {
        if (rejections < MAX_REJECTIONS) return await handler.record(completed);
        const isSettled = (await inTransaction(deps.db, (trx) => queue.settle(trx, [completed]))).size > 0;
        const reason = isSettled
          ? "the database rejects the effects of the attempt"
          : "the delivery was deleted or taken over";
        log.error({ deliveryId, reason }, "an attempt was recorded, but its effects were not");
        return [];
      } catch (error) {
        if (signal.aborted) throw error;
        if (!isUnavailable(error)) rejections++;
        log.error({ err: error, deliveryId }, "an attempt could not be recorded; retrying");
        await pause(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function makeAttempt(
    delivery: LeasedDelivery,
    send: OpenDelivery["send"],
  ): Promise<CompletedAttempt | Postponed> {
    const startedAt = Date.now();
    const startedAtMs = performance.now();
    failpoint("delivery.sending");
    const result = await send();
    failpoint("delivery.sent");
    if ("postponedMs" in result) return result;
    const { retryAfterMs, isFinal = false, redirect, ...answer } = result;
    const details = { startedAt, durationMs: Math.round(performance.now() - startedAtMs) };
    return {
      delivery,
      attempt: { ...answer, ...details, redirect: redirect ? JSON.stringify(redirect) : null },
      next: determineNext(delivery, { error: answer.error, retryAfterMs, isFinal }, schedule),
    };
  }

  return {
    queue,
    worker,
    attempts: createAttemptLog(deps, queue),
    register(kind: DeliveryKind, handler: DeliveryHandler): void {
      handlers.set(kind, handler);
    },
  };
}

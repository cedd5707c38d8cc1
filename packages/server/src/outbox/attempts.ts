import type { DeliveryAttempt } from "@foyer/contract";
import { HOUR_MS } from "@foyer/contract/rules/time";
import type { Executor } from "../db/compiled-query.ts";
import { compileInsert } from "../db/json-rows.ts";
import type { DeliveryAttemptRow } from "../db/tables/outbox.ts";
import type { Deps } from "../deps.ts";
import type { DeliveryQueue, LeasedDelivery, Next } from "./delivery-queue.ts";

const MAX_RETRY_AFTER_MS = 2 * HOUR_MS;

type Attempt = Omit<DeliveryAttemptRow, "deliveryId" | "number">;

/** The status that came first and the absolute URL to which it pointed. */
export type Redirect = { status: number; location: string };

/** A completed attempt, and the delivery's next state. */
export type CompletedAttempt<D extends LeasedDelivery = LeasedDelivery> = { delivery: D; attempt: Attempt; next: Next };

/**
 * The result of an attempt. `error` is null on success. `retryAfterMs` is the minimum wait that the receiver requested.
 */
export type AttemptResult = Pick<Attempt, "status" | "error" | "detail" | "response"> & {
  retryAfterMs: number;
  /** true when another attempt cannot succeed */
  isFinal?: boolean;
  /** set if the receiver responded with a redirect first */
  redirect?: Redirect;
};

/** Records attempts together with the state of their deliveries. */
export function createAttemptLog(deps: Pick<Deps, "db" | "databaseKind">, queue: DeliveryQueue) {
  const insertAttempts = compileInsert<DeliveryAttemptRow>(deps, "deliveryAttempts", {
    deliveryId: "text",
    number: "bigint",
    startedAt: "bigint",
    durationMs: "bigint",
    status: "bigint",
    error: "text",
    detail: "text",
    response: "text",
    redirect: "text",
  });
  return {
    /** @returns the number of each attempt by delivery id, without deliveries whose lease was lost */
    async settle(trx: Executor, batch: readonly CompletedAttempt[]): Promise<Map<string, number>> {
      const numbers = await queue.settle(trx, batch);
      const attempts = batch.flatMap(({ delivery: { id: deliveryId }, attempt }) => {
        const number = numbers.get(deliveryId);
        return number === undefined ? [] : [{ ...attempt, deliveryId, number }];
      });
      await insertAttempts(trx, attempts);
      return numbers;
    },
  };
}

/** Converts a stored attempt for members. */
export function toAttempt({ deliveryId: _, startedAt, redirect, ...attempt }: DeliveryAttemptRow): DeliveryAttempt {
  return {
    ...attempt,
    startedAt: new Date(startedAt).toISOString(),
    redirect: redirect === null ? null : JSON.parse(redirect),
  };
}

/**
 * Determines the next state. After a failure, the wait is as long as the schedule specifies plus up to 10 % jitter, or
 * longer if the receiver requests it.
 * @param schedule the wait before each attempt, in milliseconds
 */
export function determineNext(
  { attempts, attemptsBefore }: Pick<LeasedDelivery, "attempts" | "attemptsBefore">,
  { error, retryAfterMs, isFinal }: Pick<AttemptResult, "error" | "retryAfterMs" | "isFinal">,
  schedule: readonly number[],
): Next {
  if (error === null) return { state: "delivered" };
  const waitMs = schedule[attempts - attemptsBefore + 1];
  if (waitMs === undefined || isFinal) return { state: "failed" };
  const jitteredMs = waitMs * (1 + Math.random() / 10);
  return { state: "pending", waitMs: Math.round(Math.max(jitteredMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))) };
}

import type { Logger } from "pino";
import type { DeliveryQueue } from "./delivery-queue.ts";

const RENEWALS_PER_LEASE = 3;

/**
 * Renews the leases of the deliveries that this process is sending. A failed renewal is retried before the leases
 * expire.
 */
export function createLeaseRenewal(queue: DeliveryQueue, log: Logger) {
  let timer: NodeJS.Timeout | undefined;
  let isRenewing = false;

  async function renew() {
    if (isRenewing) return;
    isRenewing = true;
    await queue
      .renew()
      .catch((error: unknown) => log.warn({ err: error }, "the leases of running deliveries could not be renewed"));
    isRenewing = false;
  }

  return {
    start(): void {
      timer = setInterval(() => void renew(), queue.leaseMs / RENEWALS_PER_LEASE).unref();
    },
    stop(): void {
      clearInterval(timer);
    },
  };
}

import type { Config } from "../config.ts";

/** The longest wait for a slot at a host. Together with the time of an attempt it is shorter than a lease. */
export const MAX_SLOT_WAIT_MS = 10_000;

/** How long recording an attempt may take. */
const MARGIN_MS = 5_000;

/** Duration of a lease in milliseconds: the waits for a slot and for memory for files, the attempt, and its record. */
export function leaseMs({ webhooks }: Pick<Config, "webhooks">): number {
  return 2 * MAX_SLOT_WAIT_MS + webhooks.timeout + MARGIN_MS;
}

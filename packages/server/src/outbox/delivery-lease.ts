import type { Config } from "../config.ts";

/** The longest wait for a slot at a host. Together with the duration of an attempt it must be shorter than a lease. */
export const MAX_SLOT_WAIT_MS = 10_000;

/** The longest time that recording an attempt may take. */
const MARGIN_MS = 5_000;

/**
 * The duration of a lease in milliseconds: waiting for a slot and for memory for files, the attempt, and recording it.
 */
export function leaseMs({ webhooks }: Pick<Config, "webhooks">): number {
  return 2 * MAX_SLOT_WAIT_MS + webhooks.timeout + MARGIN_MS;
}

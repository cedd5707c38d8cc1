import type { Config } from "../config.ts";

/**
 * The maximum wait for a slot at a host, in milliseconds. Together with the duration of an attempt, it must be shorter
 * than a lease.
 */
export const MAX_SLOT_WAIT_MS = 10_000;

/** The maximum time that recording an attempt may take, in milliseconds. */
const MAX_RECORDING_MS = 5_000;

/**
 * Returns the duration of a lease in milliseconds. It covers waiting for a slot and for memory for files, the attempt,
 * and recording it.
 */
export function calculateLeaseMs({ webhooks }: Pick<Config, "webhooks">): number {
  return 2 * MAX_SLOT_WAIT_MS + webhooks.timeout + MAX_RECORDING_MS;
}

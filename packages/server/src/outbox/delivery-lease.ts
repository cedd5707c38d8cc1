import type { Config } from "../config.ts";

/** How long one waits for a place. With the time of an attempt it is shorter than a lease. */
export const MAX_SLOT_WAIT_MS = 10_000;

/** What a recording may take on top of the waits, for a place and for room for files, and the attempt itself. */
const MARGIN_MS = 5_000;

/** How long a delivery is held by who sends it. */
export function leaseMs({ webhooks }: Pick<Config, "webhooks">): number {
  return 2 * MAX_SLOT_WAIT_MS + webhooks.timeout + MARGIN_MS;
}

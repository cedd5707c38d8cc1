import { vi } from "vitest";

const TIMEOUT_MS = 30_000;

/**
 * `vi.waitFor` gives up after one second by default, which a busy machine can exceed, and Vitest has no setting for it.
 * A call that names its own timeout keeps it.
 */
if (vi.waitFor.name !== "waitPatiently") {
  const { waitFor } = vi;
  vi.waitFor = function waitPatiently(callback, options) {
    const given = typeof options === "number" ? { timeout: options } : options;
    return waitFor(callback, { timeout: TIMEOUT_MS, ...given });
  };
}

import { LRUCache } from "lru-cache";

/** The number of failures within the window that opens a model's circuit. */
const MAX_FAILURES = 3;

/** `failures` are the times of the latest failures. The circuit is open while `openUntil` is set. */
type Circuit = { failures: number[]; openUntil: number | null; isProbed: boolean; lastError: unknown };

/** What a reply may do: ask, ask as the only one until it knows whether the model works again, or not ask. */
export type Permission = "ask" | "probe" | "wait";

export type Circuits = ReturnType<typeof createCircuits>;

/**
 * A circuit breaker for each model and key of an organization, in this process. Three failures within `window`
 * milliseconds, or one that lasts, such as a refused key, open the circuit for `window` milliseconds. After that, one
 * reply at a time probes the model. A `window` of 0 disables it.
 */
export function createCircuits(window: number, now: () => number = () => performance.now()) {
  const circuits = new LRUCache<string, Circuit>({ max: 10_000 });
  return {
    /** A caller that receives `probe` must call `succeed`, `fail` or `leave`. */
    enter(key: string): Permission {
      const circuit = circuits.get(key);
      if (!circuit || circuit.openUntil === null) return "ask";
      if (circuit.isProbed || now() < circuit.openUntil) return "wait";
      circuit.isProbed = true;
      return "probe";
    },
    /** Closes the circuit that the caller has probed. */
    succeed(key: string, permission: Permission): void {
      if (permission === "probe") circuits.delete(key);
    },
    fail(key: string, permission: Permission, { error, isLasting }: { error: unknown; isLasting: boolean }): void {
      if (window === 0) return;
      const at = now();
      const circuit = circuits.get(key) ?? { failures: [], openUntil: null, isProbed: false, lastError: null };
      circuit.lastError = error;
      circuit.failures = [...circuit.failures.filter((failedAt) => at - failedAt < window), at];
      if (permission === "probe") circuit.isProbed = false;
      if (permission === "probe" || isLasting || circuit.failures.length >= MAX_FAILURES) {
        circuit.openUntil = at + window;
        circuit.failures = [];
      }
      circuits.set(key, circuit);
    },
    /** The failure that opened the model's circuit, or a later one. */
    lastError: (key: string): unknown => circuits.get(key)?.lastError,
    /** The caller's probe ended without a result, for example because the visitor stopped the reply. */
    leave(key: string, permission: Permission): void {
      const circuit = circuits.get(key);
      if (circuit && permission === "probe") circuit.isProbed = false;
    },
  };
}

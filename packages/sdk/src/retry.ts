import { FoyerError } from "./foyer-error.ts";

/** The delays before each further attempt when the server specifies none, in milliseconds. */
const BACKOFF_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** The maximum delay. When the server requests a longer one, there is no further attempt, and the caller decides. */
const MAX_WAIT_MS = 60_000;

/**
 * Repeats a call that the server refused temporarily: 429 (rate limit) and 503 (overloaded). The server sends both
 * before doing any work, so every method can be repeated. Waits as long as `Retry-After` says.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  { maxRetries, signal }: { maxRetries: number; signal: AbortSignal | undefined },
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const wait = attempt < maxRetries ? waitBefore(attempt, error) : null;
      if (wait === null) throw error;
      await delay(wait, signal);
    }
  }
}

function waitBefore(attempt: number, error: unknown): number | null {
  if (!(error instanceof FoyerError) || (error.status !== 429 && error.status !== 503)) return null;
  // This error goes away only after a configuration change, so waiting does not help.
  if (error.code === "MODEL_NOT_CONFIGURED") return null;
  const wait = error.retryAfter === null ? (BACKOFF_MS[attempt] ?? MAX_WAIT_MS) : error.retryAfter * 1_000;
  return wait <= MAX_WAIT_MS ? wait : null;
}

function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

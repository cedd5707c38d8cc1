import type { PageCore } from "./widget-core.ts";

/** Delays in milliseconds before each retry when the server is unreachable or busy. */
const RETRY_DELAYS_MS = [2_000, 10_000, 60_000, 0];

/**
 * Sends a request with retries. Returns null if the server refuses, stays unreachable, or the widget is removed, and
 * logs the reason to the console.
 */
export async function requestFromServer<T>(
  { options: { baseUrl }, fetch }: Pick<PageCore, "options" | "fetch">,
  path: string,
  signal: AbortSignal,
): Promise<T | null> {
  for (const wait of RETRY_DELAYS_MS) {
    const response = await fetch(baseUrl + path, { credentials: "omit", signal }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (response?.ok || signal.aborted) return answer;
    if (!wait || (response && response.status !== 429 && response.status < 500)) {
      // biome-ignore lint/suspicious/noConsole: the site's developer looks here for a missing widget
      console.warn(`Foyer: ${answer?.error?.message ?? "The server could not be reached."}`);
      return null;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return null;
}

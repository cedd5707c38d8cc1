import type { WidgetOptions } from "./read-options.ts";

/** The waits before the server is asked again, in milliseconds, when it was not there or too busy. */
const RETRY_WAITS = [2_000, 10_000, 60_000, 0];

/** What the server answers; null when it refuses, stays away, or nobody waits any more. The console hears why. */
export async function askServer<T>(
  { baseUrl }: Pick<WidgetOptions, "baseUrl">,
  path: string,
  signal: AbortSignal,
): Promise<T | null> {
  for (const wait of RETRY_WAITS) {
    const response = await fetch(baseUrl + path, { credentials: "omit", signal }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (response?.ok || signal.aborted) return answer;
    if (!wait || (response && response.status !== 429 && response.status < 500)) {
      // biome-ignore lint/suspicious/noConsole: the only place where the site's maker looks for a widget that is not there
      console.warn(`Foyer: ${answer?.error?.message ?? "The server could not be reached."}`);
      return null;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return null;
}

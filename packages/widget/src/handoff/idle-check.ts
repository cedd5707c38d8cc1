import { HOUR_MS } from "@foyer/contract/rules/time";

/** The minimum wait between two checks, in milliseconds. Each wait is as long as the conversation has been idle. */
const MIN_IDLE_MS = 10_000;
/** The idle time after which the page no longer checks, in milliseconds. */
const MAX_IDLE_MS = HOUR_MS;

/**
 * Calls `check` while the page is visible, at growing intervals while nothing happens.
 * @returns a function that reports that something has happened
 */
export function createIdleCheck(check: () => void, signal: AbortSignal): () => void {
  let changedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    const idle = Math.max(MIN_IDLE_MS, Date.now() - changedAt);
    if (idle > MAX_IDLE_MS) return;
    timer = setTimeout(() => {
      if (signal.aborted) return;
      if (!document.hidden) check();
      wait();
    }, idle);
  };
  return () => {
    clearTimeout(timer);
    changedAt = Date.now();
    wait();
  };
}

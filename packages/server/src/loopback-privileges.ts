import { AsyncLocalStorage } from "node:async_hooks";
import type { Logger } from "pino";

export type LoopbackPrivileges = ReturnType<typeof createLoopbackPrivileges>;

/**
 * What is allowed because only this machine can reach the server: tools and webhooks may call private addresses, and
 * sign-in links are written to the log. `isLoopbackOnly` says so of the configuration. A request that a proxy forwarded, or
 * that is for another host, shows that others can reach it: it gets none of this, and neither does anything it starts.
 * Background work that no request started, such as a webhook's retry, gets none either once such a request was seen.
 */
export function createLoopbackPrivileges(isLoopbackOnly: boolean, log: Pick<Logger, "warn">) {
  const scope = new AsyncLocalStorage<boolean>();
  let wasForwarded = false;
  return {
    areGranted: (): boolean => isLoopbackOnly && (scope.getStore() ?? !wasForwarded),
    /** Runs what a request starts. */
    run(isDirect: boolean, work: () => void): void {
      if (!isDirect && isLoopbackOnly && !wasForwarded) {
        wasForwarded = true;
        log.warn(
          "a request came through a proxy or was for another host; set BASE_URL to the public address. Such requests cannot reach private addresses",
        );
      }
      scope.run(isDirect, work);
    },
  };
}

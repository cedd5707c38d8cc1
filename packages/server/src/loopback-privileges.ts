import { AsyncLocalStorage } from "node:async_hooks";
import type { Logger } from "pino";

export type LoopbackPrivileges = ReturnType<typeof createLoopbackPrivileges>;

/**
 * Manages the privileges of a server that is reachable only from its own machine: tools and webhooks may call private
 * addresses, and sign-in links are written to the log. `isLoopbackOnly` comes from the configuration. A request that
 * was forwarded by a proxy, or that names another host, proves that others can reach the server. Such a request has no
 * privileges, and neither does anything that it starts. Background work, such as a webhook's retry, loses them once
 * such a request was seen.
 */
export function createLoopbackPrivileges(isLoopbackOnly: boolean, log: Pick<Logger, "warn">) {
  const scope = new AsyncLocalStorage<boolean>();
  let wasForwarded = false;
  return {
    areGranted: (): boolean => isLoopbackOnly && (scope.getStore() ?? !wasForwarded),
    /** Runs the work of a request. */
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

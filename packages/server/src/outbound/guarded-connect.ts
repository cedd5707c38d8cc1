import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import { OutboundError } from "./outbound-error.ts";

/** Returns the addresses of a host name in the order in which to try them. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** The time limit for the DNS lookup, the connection and the TLS handshake together. */
const connectTimeoutMs = 10_000;

/**
 * Creates an undici connector that connects only to addresses that the guard allows. It looks up the name once per
 * connection and passes exactly the checked addresses to the socket, so a hostile name server cannot return a different
 * address later. TLS still verifies the certificate against the name.
 */
export function createGuardedConnect(guard: AddressGuard, resolve: Resolve): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    autoSelectFamily: true,
    timeout: connectTimeoutMs,
    lookup: createGuardedLookup(guard, resolve),
  });

  return (options, callback) => {
    try {
      // Check an IP literal here, because neither Node nor undici passes it to the lookup function.
      if (isIP(options.hostname) !== 0) guard.checkAddress(options.hostname, options.hostname);
    } catch (error) {
      queueMicrotask(() => callback(asError(error), null));
      return;
    }
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error) return callback(error, null);
      try {
        guard.checkAddress(socket.remoteAddress ?? "no address", options.hostname);
      } catch (refusal) {
        socket.destroy();
        return callback(asError(refusal), null);
      }
      callback(null, socket);
    });
  };
}

/** Creates an undici connector to hosts that the operator configured, at any address. */
export function createOperatorConnect(resolve: Resolve): buildConnector.connector {
  return buildConnector({ allowH2: false, autoSelectFamily: true, lookup: createLookup(resolve) });
}

/**
 * Creates a lookup function that checks every address of a name. A single forbidden address rejects the whole name,
 * because it is not predictable which of several addresses the socket would use.
 */
function createGuardedLookup(guard: AddressGuard, resolve: Resolve): LookupFunction {
  return createLookup(async (hostname) => {
    const addresses = await resolve(hostname);
    for (const address of addresses) guard.checkAddress(address, hostname);
    return addresses;
  });
}

/** Adapts the resolver to Node's interface. The connectors above always ask for all addresses. */
function createLookup(resolve: Resolve): LookupFunction {
  return (hostname, _options, callback) => {
    resolve(hostname)
      .then((addresses) => {
        if (addresses.length === 0) throw new OutboundError("unreachable", `${hostname} could not be resolved.`);
        return addresses.map((address) => ({ address, family: isIP(address) }));
      })
      .then(
        (addresses) => callback(null, addresses),
        (error: unknown) => callback(asError(error), []),
      );
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import { OutboundError } from "./outbound-error.ts";

/** Every address of a name, in the order in which they should be tried. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** In milliseconds, from the look-up of the name to the end of the TLS handshake. */
const connectTimeoutMs = 10_000;

/**
 * An undici connector that only connects to addresses that the guard lets through. The name is looked up once per
 * connection and the socket gets exactly the addresses that were checked, so a second, different answer of a hostile
 * name server is never asked for. TLS still verifies the certificate against the name.
 */
export function createGuardedConnect(guard: AddressGuard, resolve: Resolve): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    autoSelectFamily: true,
    timeout: connectTimeoutMs,
    lookup: guardedLookup(guard, resolve),
  });

  return (options, callback) => {
    try {
      // A literal never reaches the look-up, neither in Node nor in undici.
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

/** One bad address among several refuses the name: which of them a socket would get is not ours to bet on. */
function guardedLookup(guard: AddressGuard, resolve: Resolve): LookupFunction {
  return (hostname, _options, callback) => {
    resolve(hostname)
      .then((addresses) => {
        if (addresses.length === 0) throw new OutboundError("unreachable", `No address was found for ${hostname}.`);
        for (const address of addresses) guard.checkAddress(address, hostname);
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

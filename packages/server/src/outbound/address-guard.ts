import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { describeAddress, matches, parseAddress, type Range } from "./address-ranges.ts";
import { OutboundError } from "./outbound-error.ts";

/** Decides which addresses an organization may call through this server. It only examines text and performs no I/O. */
export type AddressGuard = {
  /**
   * Parses a URL.
   * @throws OutboundError of kind `refused` when it is not http(s), has a user name or password, or names a forbidden
   * IP address in any spelling. Host names are not looked up here.
   */
  checkUrl(url: string): URL;
  /** @throws OutboundError of kind `refused` unless `hostname` may be called at `address` */
  checkAddress(address: string, hostname: string): void;
};

/**
 * Creates an address guard.
 * @param options.allowPrivate allows loopback and private ranges
 * @param options.allow hosts, addresses and CIDR ranges to allow; link-local and metadata addresses stay forbidden
 * @throws Error that names an invalid entry of `allow`
 */
export function createAddressGuard(options: { allowPrivate: boolean; allow: readonly string[] }): AddressGuard {
  const allowedEntries = options.allow.map(parseAllowed);
  const ranges = allowedEntries.filter((entry) => typeof entry !== "string");
  const hosts = new Set(allowedEntries.filter((entry) => typeof entry === "string"));

  function checkAddress(address: string, hostname: string) {
    const parsed = parseAddress(address);
    if (!parsed) throw new OutboundError("refused", `${hostname} has no usable address (${address}).`);
    const { kind, description } = describeAddress(parsed);
    if (kind === "public" || (kind === "local" && options.allowPrivate)) return;
    const isAllowed = hosts.has(stripTrailingDot(hostname)) || ranges.some((range) => matches(parsed, range));
    if (kind !== "metadata" && isAllowed) return;
    const subject = address === hostname ? address : `${hostname} is at ${address}, which`;
    const remedy = kind === "metadata" ? "" : " The operator can allow it with FOYER_OUTBOUND_ALLOW.";
    throw new OutboundError("refused", `${subject} is ${description} and may not be called.${remedy}`);
  }

  return {
    checkUrl(url) {
      const parsed = parseHttpUrl(url);
      const literal = stripBrackets(parsed.hostname);
      if (isIP(literal) !== 0) checkAddress(literal, literal);
      return parsed;
    },
    checkAddress,
  };
}

/** Parses a URL. @throws OutboundError of kind `refused` when it is not http(s) or has a user name or password */
export function parseHttpUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (!parsed) throw new OutboundError("refused", `${JSON.stringify(url.slice(0, 200))} is not a URL.`);
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new OutboundError("refused", `Only http and https URLs can be called, not ${parsed.protocol}`);
  }
  if (parsed.username || parsed.password) {
    throw new OutboundError("refused", `The URL of ${parsed.host} must not contain a user name or password.`);
  }
  return parsed;
}

/** Parses one entry of FOYER_OUTBOUND_ALLOW: a range or a host name. */
function parseAllowed(entry: string): Range | string {
  // Check with isIP first, because ipaddr.js parses "10/8" as 0.0.0.10/8.
  if (isIP(entry.split("/")[0] ?? "") !== 0 && ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  // Normalize the name with the URL parser, so that it equals the same name in a URL.
  const isIPv6 = isIP(entry) === 6;
  const url = URL.parse(isIPv6 ? `http://[${entry}]` : `http://${entry}`);
  const isHost = url && !url.username && !url.port && url.pathname === "/" && !/[/?#@]/.test(entry);
  if (!isHost) {
    throw new Error(
      `FOYER_OUTBOUND_ALLOW: expected host names, addresses or ranges such as 10.0.0.0/8, found ${JSON.stringify(entry)}.`,
    );
  }
  const address = parseAddress(stripBrackets(url.hostname));
  return address ? [address, address.kind() === "ipv4" ? 32 : 128] : stripTrailingDot(url.hostname);
}

function stripBrackets(hostname: string): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

/** Removes a trailing dot, because `host.` and `host` are the same name. */
function stripTrailingDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}

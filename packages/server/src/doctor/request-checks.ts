import type { Check } from "@foyer/contract";
import { isOwnOrigin } from "../auth/sessions/same-origin.ts";
import type { Config } from "../config.ts";
import { isLoopback } from "../loopback.ts";

/** How the browser reached the server. `host` and `protocol` come from a trusted proxy if there is one. */
export type Arrival = {
  protocol: string;
  host: string;
  origin: string | undefined;
  /** the client's address as the server sees it */
  ip: string;
  /** the address of the connection's other end */
  socketIp: string;
  isForwarded: boolean;
};

/** Checks BASE_URL, which links in emails use and which decides which pages may use a session. */
export function checkAddress({ baseUrl }: Pick<Config, "baseUrl">, { protocol, host, origin }: Arrival): Check {
  const check = { id: "address", title: "Public address" } as const;
  const base = new URL(baseUrl);
  const seen = origin ?? `${protocol}://${host}`;
  // An untrusted proxy that terminates TLS makes https look like http. `client-ip` reports that.
  const isBehindTls = origin === undefined && base.protocol === "https:" && host === base.host;
  if (isBehindTls || isOwnOrigin(seen, { baseUrl })) {
    return { ...check, state: "ok", detail: `You are using ${base.origin}, which matches BASE_URL.`, fix: null };
  }
  const detail = `You are using ${seen}, but BASE_URL is ${base.origin}. Links and sign-in use BASE_URL.`;
  return { ...check, state: "failure", detail, fix: `If ${seen} is right, set BASE_URL=${seen} and restart.` };
}

export function checkHttps({ baseUrl }: Pick<Config, "baseUrl">): Check {
  const check = { id: "https", title: "HTTPS" } as const;
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:") return { ...check, state: "ok", detail: "BASE_URL uses https.", fix: null };
  if (isLoopback(hostname))
    return { ...check, state: "ok", detail: "Not required, because BASE_URL is a local address.", fix: null };
  const detail = "Passwords, sessions and API keys are sent unencrypted.";
  const fix = "Put a reverse proxy with a certificate in front of the server, and set BASE_URL to its https address.";
  return { ...check, state: "failure", detail, fix };
}

/** Checks that the server sees each client's own IP address, because limits are counted per address. */
export function checkClientIp({ baseUrl }: Pick<Config, "baseUrl">, { ip, socketIp, isForwarded }: Arrival): Check {
  const check = { id: "client-ip", title: "Client IP addresses" } as const;
  if (isForwarded && ip === socketIp) {
    const detail = `A proxy at ${socketIp} forwards requests but is not trusted, so every client appears as ${ip}.`;
    const fix = `If that proxy is yours, set FOYER_TRUST_PROXY=${removeIpv4Prefix(socketIp)} and restart.`;
    return { ...check, state: "warning", detail, fix };
  }
  if (isLoopback(removeIpv4Prefix(ip)) && !isLoopback(new URL(baseUrl).hostname)) {
    const detail = `You appear as ${ip}, an address of this machine. A local proxy does not forward client addresses.`;
    return {
      ...check,
      state: "warning",
      detail,
      fix: "Configure the proxy to send X-Forwarded-For, and set FOYER_TRUST_PROXY.",
    };
  }
  return { ...check, state: "ok", detail: `Your address is ${ip}.`, fix: null };
}

/** IPv4 without the prefix that IPv6 sockets add. */
const removeIpv4Prefix = (ip: string) => ip.replace(/^::ffff:/, "");

import type { Check } from "@foyer/contract";
import { isOurs } from "../auth/sessions/same-origin.ts";
import type { Config } from "../config.ts";
import { isLoopback } from "../loopback.ts";

/** How a browser came here. `host` and `protocol` are what a trusted proxy says, where there is one. */
export type Arrival = {
  protocol: string;
  host: string;
  origin: string | undefined;
  /** as it counts here */
  ip: string;
  /** of whoever opened the connection */
  socketIp: string;
  isForwarded: boolean;
};

/** BASE_URL is where links in mails point and which pages may use a session. */
export function checkAddress({ baseUrl }: Pick<Config, "baseUrl">, { protocol, host, origin }: Arrival): Check {
  const check = { id: "address", title: "Public address" } as const;
  const base = new URL(baseUrl);
  const seen = origin ?? `${protocol}://${host}`;
  // A proxy that ends TLS and is not trusted makes https look like http; `client-ip` tells of that.
  const isBehindTls = origin === undefined && base.protocol === "https:" && host === base.host;
  if (isBehindTls || isOurs(seen, { baseUrl })) {
    return { ...check, state: "ok", detail: `You came by ${base.origin}, which is BASE_URL.`, fix: null };
  }
  const detail = `BASE_URL is ${base.origin}, and you came by ${seen}. Links and sign-in lead to BASE_URL.`;
  return { ...check, state: "failure", detail, fix: `If ${seen} is right, set BASE_URL=${seen} and restart.` };
}

export function checkHttps({ baseUrl }: Pick<Config, "baseUrl">): Check {
  const check = { id: "https", title: "HTTPS" } as const;
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:") return { ...check, state: "ok", detail: "BASE_URL begins with https.", fix: null };
  if (isLoopback(hostname))
    return { ...check, state: "ok", detail: "Not needed: BASE_URL is this machine.", fix: null };
  const detail = "Passwords, sessions and keys travel unencrypted.";
  const fix = "Put a proxy with a certificate in front, and set BASE_URL to its https address.";
  return { ...check, state: "failure", detail, fix };
}

/** Limits are counted by address, so everybody must have their own. */
export function checkClientIp({ baseUrl }: Pick<Config, "baseUrl">, { ip, socketIp, isForwarded }: Arrival): Check {
  const check = { id: "client-ip", title: "Visitors' addresses" } as const;
  if (isForwarded && ip === socketIp) {
    const detail = `A proxy at ${socketIp} says whom it forwards, and is not trusted: everybody counts as ${ip}.`;
    const fix = `If that proxy is yours, set FOYER_TRUST_PROXY=${plain(socketIp)} and restart.`;
    return { ...check, state: "warning", detail, fix };
  }
  if (isLoopback(plain(ip)) && !isLoopback(new URL(baseUrl).hostname)) {
    const detail = `You seem to be at ${ip}, on this machine: a proxy here does not say whom it forwards.`;
    return {
      ...check,
      state: "warning",
      detail,
      fix: "Have the proxy send X-Forwarded-For, and set FOYER_TRUST_PROXY.",
    };
  }
  return { ...check, state: "ok", detail: `You are at ${ip}.`, fix: null };
}

/** IPv4 as it is written, also where the socket speaks IPv6. */
const plain = (ip: string) => ip.replace(/^::ffff:/, "");

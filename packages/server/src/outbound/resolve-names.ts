import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { createFairPool } from "../pools/fair-pool.ts";
import { OutboundError } from "./outbound-error.ts";

/**
 * The maximum number of concurrent lookups of names that members or websites chose. Each sends two packets, and a name
 * server on this machine that is busy for a moment buffers fewer than 300.
 */
const MAX_LOOKUPS = 64;
const MAX_WAITING_PER_OWNER = 1_000;
const MAX_WAITING = 10_000;
/**
 * How often a name server is asked. c-ares adapts the first time limit to the server's usual latency, down to 250 ms, and
 * doubles it for each repetition. With two queries, a name that the server has to look up for a second would fail, and
 * so would any name while the event loop is busy for that long.
 */
const TRIES = 4;
/** How long a failure is remembered, in milliseconds, and the maximum number of names. */
const REMEMBER_FAILURE_MS = 30_000;
const MAX_FAILURES = 10_000;
/** How long the hosts file and the addresses of the name servers are used before they are read again, in milliseconds. */
const RELOAD_MS = 30_000;

type Options = {
  /** a file in the format of /etc/hosts */
  hostsFile?: string;
  /** replaces the name servers of this machine, for tests */
  servers?: readonly string[];
  /** the maximum time of one query, in milliseconds */
  timeoutMs?: number;
  /** a clock in milliseconds; tests replace it */
  now?: () => number;
};

type System = { hosts: ReadonlyMap<string, string[]>; resolver: Resolver };

/**
 * Resolves host names with c-ares, which waits for name servers without a thread. getaddrinfo would hold one of the few
 * threads of libuv's pool for 10 s or more for each name whose server does not answer, and all other lookups of the
 * process would wait behind it. The hosts file comes first. c-ares does not read it, so it is parsed here.
 */
export function createNameResolver(options: Options = {}) {
  const { hostsFile = "/etc/hosts", servers, timeoutMs = 2_000, now = () => performance.now() } = options;
  const pool = createFairPool({
    name: "dns_lookups",
    size: MAX_LOOKUPS,
    maxWaitingPerOwner: MAX_WAITING_PER_OWNER,
    maxWaiting: MAX_WAITING,
  });
  /** The names that could not be resolved, from the oldest failure to the newest one. */
  const failures = new Map<string, { error: OutboundError; at: number }>();
  let system = { read: readSystem(), expiresAt: now() + RELOAD_MS };

  async function readSystem(): Promise<System> {
    const text = await readFile(hostsFile, "utf8").catch(() => "");
    const resolver = new Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries: TRIES });
    if (servers) resolver.setServers(servers);
    return { hosts: parseHosts(text), resolver };
  }

  /** @throws OutboundError when the name does not exist or no name server answered */
  async function resolve(name: string): Promise<string[]> {
    if (now() >= system.expiresAt) system = { read: readSystem(), expiresAt: now() + RELOAD_MS };
    const { hosts, resolver } = await system.read;
    const known = hosts.get(name) ?? (isLocalhost(name) ? ["127.0.0.1", "::1"] : undefined);
    return known ?? queryAddresses(resolver, name);
  }

  function findFailure(name: string): OutboundError | undefined {
    const failure = failures.get(name);
    return failure && now() - failure.at < REMEMBER_FAILURE_MS ? failure.error : undefined;
  }

  function rememberFailure(name: string, error: OutboundError): void {
    failures.delete(name);
    failures.set(name, { error, at: now() });
    const [oldest] = failures.keys();
    if (failures.size > MAX_FAILURES && oldest !== undefined) failures.delete(oldest);
  }

  return {
    /**
     * Resolves a name that a member or a website chose. A name that failed is not looked up again for 30 s.
     * @param owner the organization whose share of the lookups is used
     */
    async resolveUntrusted(hostname: string, owner: string): Promise<string[]> {
      const name = normalize(hostname);
      const failure = findFailure(name);
      if (failure) throw failure;
      const release = await pool.acquire({ owner }).catch((error: unknown) => {
        throw new OutboundError("busy", "Too many names of your organization are being looked up.", { cause: error });
      });
      try {
        return await resolve(name);
      } catch (error) {
        if (error instanceof OutboundError) rememberFailure(name, error);
        throw error;
      } finally {
        release();
      }
    },
    /**
     * Resolves a name that the operator configured. It never waits for other lookups. A name that no name server knows
     * is passed to the system, which may know other sources, such as search domains.
     */
    async resolveForOperator(hostname: string): Promise<string[]> {
      try {
        return await resolve(normalize(hostname));
      } catch (error) {
        if (error instanceof OutboundError && error.kind === "timeout") throw error;
        const addresses = await lookup(hostname, { all: true });
        return addresses.map(({ address }) => address);
      }
    },
  };
}

const normalize = (hostname: string) => hostname.toLowerCase().replace(/\.$/, "");

/** RFC 6761: these names are the machine itself, also without an entry in the hosts file. */
const isLocalhost = (name: string) => name === "localhost" || name.endsWith(".localhost");

/** Parses lines such as `10.0.0.5 wiki.internal wiki # comment`. */
function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map(normalize)) hosts.set(name, [...(hosts.get(name) ?? []), address]);
  }
  return hosts;
}

/** Returns IPv4 addresses first, because no check has shown that this machine can reach IPv6 addresses. */
async function queryAddresses(resolver: Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const errors = answers.flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason as NodeJS.ErrnoException] : [],
  );
  const timeout = errors.find(({ code }) => code === "ETIMEOUT");
  if (timeout)
    throw new OutboundError("timeout", `The name servers of ${name} did not answer in time.`, { cause: timeout });
  const [error] = errors;
  throw new OutboundError("unreachable", `${name} could not be resolved (${error?.code ?? "ENODATA"}).`, {
    cause: error,
  });
}

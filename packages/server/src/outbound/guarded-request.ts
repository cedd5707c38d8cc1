import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import { Agent } from "undici";
import { AppError } from "../errors.ts";
import { createFairPool } from "../pools/fair-pool.ts";
import { type AddressGuard, createAddressGuard, parseHttpUrl } from "./address-guard.ts";
import { createGuardedConnect, createOperatorConnect, type Resolve } from "./guarded-connect.ts";
import { createFetch, type OutboundFetch } from "./guarded-fetch.ts";
import { type OutboundSocket, openWebSocket } from "./guarded-web-socket.ts";
import { explainFailure, OutboundError } from "./outbound-error.ts";
import { createNameResolver } from "./resolve-names.ts";
import { StreamedBody } from "./streamed-body.ts";

export { OutboundError };

/**
 * Whether the URL is trusted. "operator" means that it comes from the server's environment and is exempt from the
 * address rules. "untrusted" means that a member or a website chose it, so it is guarded.
 */
type Trust = "operator" | "untrusted";

/**
 * For whom a call is made. `organizationId` is the organization whose share of the calls and lookups is used; null is
 * for calls of the server itself.
 */
export type Caller = { trust: Trust; organizationId: string | null };

export type OutboundRequest = Caller & {
  url: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Uint8Array | StreamedBody | undefined;
  signal?: AbortSignal | undefined;
};

type ResponseHeaders = Record<string, string | string[] | undefined>;

/**
 * The client for outbound calls. All methods throw OutboundErrors, or the signal's reason after an abort. A 3xx
 * response is an error of kind `redirect`.
 */
export type Outbound = {
  /**
   * Sends a request and reads the response within `timeoutMs`, from the DNS lookup to the last byte. A longer body is
   * cut to its first `maxBytes` as sent (never decompressed). `truncated` is then true, and the connection is closed.
   * With `bodyTimeoutMs`, a body that is not complete this long after the headers, or that breaks off, is cut as well
   * instead of failing.
   */
  request(options: BufferedCall): Promise<{
    status: number;
    headers: ResponseHeaders;
    body: Buffer;
    truncated: boolean;
    durationMs: number;
  }>;
  /**
   * Sends a request whose response is read as it arrives, such as a model's stream. Only `signal` limits its duration.
   * Read the body to its end or destroy it. A failure after the headers is an error of the body, not an OutboundError.
   */
  stream(options: OutboundRequest): Promise<{ status: number; headers: ResponseHeaders; body: Readable }>;
  /** Returns a `fetch` with the same rules, for libraries that need one (the AI SDK providers). */
  fetch(caller: Caller): OutboundFetch;
  /** Opens a WebSocket at an untrusted URL. The connection is closed if nothing arrives for `idleMs`. */
  webSocket(options: {
    url: string;
    organizationId: string | null;
    idleMs: number;
    signal: AbortSignal;
  }): Promise<OutboundSocket>;
  /** Checks a URL before it is saved. Throws the same errors as a call, as far as they can be detected without DNS. */
  checkUrl(url: string): void;
  /** Closes all connections, including those in use. */
  close(): Promise<void>;
};

/**
 * Creates the only client that accesses the network.
 * @param options.allowPrivate opens loopback and private addresses to members; a function is called for each request
 * @param options.allow hosts, addresses and CIDR ranges to open to members; never metadata or link-local ones
 * @param options.resolve looks up names that members entered, instead of `names`; for tests
 * @param options.names looks up names; tests replace its name servers
 * @param options.maxCalls the maximum number of concurrent calls to untrusted URLs
 */
export function createOutbound(options: {
  allowPrivate: boolean | (() => boolean);
  allow: readonly string[];
  resolve?: Resolve;
  names?: ReturnType<typeof createNameResolver>;
  maxCalls?: number;
}): Outbound {
  const { allow, allowPrivate, names = createNameResolver(), maxCalls = MAX_UNTRUSTED_CALLS } = options;
  const calls = createFairPool({
    name: "outbound_calls",
    size: maxCalls,
    maxWaitingPerOwner: 1_000,
    maxWaiting: 10_000,
  });
  /** The owner of the call that opens a connection, because undici passes only the host name to the lookup. */
  const owners = new AsyncLocalStorage<string>();
  const { resolve = (hostname) => names.resolveUntrusted(hostname, owners.getStore() ?? SERVER) } = options;
  // Use separate pools, so that a call that may not reach private addresses never reuses a connection to one.
  const privateLane = createLane(createAddressGuard({ allow, allowPrivate: true }), resolve);
  const publicLane = createLane(createAddressGuard({ allow, allowPrivate: false }), resolve);
  const getLane = () =>
    (typeof allowPrivate === "function" ? allowPrivate() : allowPrivate) ? privateLane : publicLane;
  const connect = createOperatorConnect(names.resolveForOperator);
  const operatorAgent = new Agent({ ...agentOptions, keepAliveTimeout: 30_000, connect });
  const shutdown = new AbortController();
  const openCall = async (call: Call) => {
    if (call.trust === "operator") return openResponse(call, { parse: parseHttpUrl, agent: operatorAgent });
    const { guard, agent } = getLane();
    const owner = call.organizationId ?? SERVER;
    const release = await calls.acquire({ owner }, call.signal).catch(throwBusy);
    return owners.run(owner, () => openResponse(call, { parse: guard.checkUrl, agent, release }));
  };

  return {
    request: (call) => requestBuffered(openCall, call),
    async stream(call) {
      const { status, headers, body } = await openCall(call);
      return { status, headers, body };
    },
    fetch: ({ trust, organizationId }) => createFetch((call) => openCall({ ...call, trust, organizationId })),
    async webSocket({ url, organizationId, idleMs, signal }) {
      const { guard } = getLane();
      guard.checkUrl(url.replace(/^ws/, "http"));
      const connect = createGuardedConnect(guard, resolve);
      const anySignal = AbortSignal.any([signal, shutdown.signal]);
      return owners.run(organizationId ?? SERVER, () =>
        openWebSocket({ url: new URL(url), connect, idleMs, signal: anySignal }),
      );
    },
    checkUrl(url) {
      getLane().guard.checkUrl(url);
    },
    async close() {
      shutdown.abort(new OutboundError("unreachable", "The server is shutting down."));
      await Promise.all([operatorAgent.destroy(), privateLane.agent.destroy(), publicLane.agent.destroy()]);
    },
  };
}

type Call = Omit<OutboundRequest, "method"> & { method: string };
type OpenedResponse = { url: URL; status: number; headers: ResponseHeaders; body: Readable };

/**
 * Options of the keep-alive pools, one per origin. They have no time limits, because a model may think longer than any
 * default. Idle connections to the operator's model providers are kept longer, so that the next chat message needs no
 * TLS handshake. Applications that share a host set cookies of more than Node's limit of 16 KB for headers.
 */
const agentOptions = { headersTimeout: 0, bodyTimeout: 0, allowH2: false, maxHeaderSize: 256 * 1024 };

function createLane(guard: AddressGuard, resolve: Resolve) {
  return { guard, agent: new Agent({ ...agentOptions, connect: createGuardedConnect(guard, resolve) }) };
}

/** The owner of calls that the server makes for itself. */
const SERVER = "server";

/**
 * The maximum number of concurrent calls to URLs that members or websites chose, each until the end of its response.
 * Calls beyond an organization's share wait within their own time limit. Calls to the operator's URLs are not counted.
 */
const MAX_UNTRUSTED_CALLS = 8_192;

function throwBusy(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new OutboundError("busy", "Too many calls of your organization are waiting. Try again in a moment.");
}

/** @param release called when the call no longer uses a connection */
async function openResponse(
  call: Call,
  { parse, agent, release = () => {} }: { parse: (url: string) => URL; agent: Agent; release?: () => void },
): Promise<OpenedResponse> {
  const responsePromise = sendRequest(parse, agent, call);
  responsePromise.then(({ response }) => response.body.once("close", release), release);
  const { url, response } = await raceWithAbort(responsePromise, call.signal);
  // Listen for errors, because destroying or aborting a body emits one, which would end the process without a listener.
  response.body.on("error", ignoreError);
  if (response.statusCode >= 300 && response.statusCode < 400) {
    response.body.destroy();
    throw createRedirectError(url, response.statusCode, response.headers);
  }
  return { url, status: response.statusCode, headers: response.headers, body: response.body };
}

async function sendRequest(parse: (url: string) => URL, agent: Agent, call: Call) {
  call.signal?.throwIfAborted();
  const url = parse(call.url);
  const { body } = call;
  const isStreamed = body instanceof StreamedBody;
  const headers = isStreamed ? { ...call.headers, "content-length": String(body.bytes) } : (call.headers ?? {});
  if (call.trust === "untrusted") refuseHostHeader(headers);
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: call.method,
    headers,
    body: isStreamed ? Readable.from(body.read(), { objectMode: false }) : (body ?? null),
    signal: call.signal ?? null,
  };
  const response = await agent.request(options).catch((error: unknown) => {
    throw explainCallFailure(error, url, call.signal);
  });
  return { url, response };
}

type BufferedCall = OutboundRequest & { timeoutMs: number; maxBytes: number; bodyTimeoutMs?: number };

async function requestBuffered(
  open: (call: Call) => Promise<OpenedResponse>,
  { timeoutMs, maxBytes, bodyTimeoutMs, ...call }: BufferedCall,
) {
  const startedAt = performance.now();
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = call.signal ? AbortSignal.any([deadline, call.signal]) : deadline;
  try {
    const { url, status, headers, body } = await open({ ...call, signal });
    const read = await readUpTo(body, { maxBytes, bodyTimeoutMs }).catch((error: unknown) => {
      throw explainCallFailure(error, url, signal);
    });
    return { status, headers, ...read, durationMs: Math.round(performance.now() - startedAt) };
  } catch (error) {
    if (!deadline.aborted || error !== deadline.reason) throw error;
    const host = URL.parse(call.url)?.host;
    throw new OutboundError("timeout", `${host} did not respond completely within ${timeoutMs / 1_000} s.`);
  }
}

async function readUpTo(
  body: Readable,
  { maxBytes, bodyTimeoutMs }: { maxBytes: number; bodyTimeoutMs: number | undefined },
): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let remaining = maxBytes;
  const timer =
    bodyTimeoutMs === undefined
      ? undefined
      : setTimeout(() => body.destroy(new Error("The body took too long.")), bodyTimeoutMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, remaining));
      // Leaving the loop destroys the body, and with it the connection.
      if (chunk.length > remaining) return { body: Buffer.concat(chunks), truncated: true };
      remaining -= chunk.length;
    }
    return { body: Buffer.concat(chunks), truncated: false };
  } catch (error) {
    if (bodyTimeoutMs === undefined) throw error;
    return { body: Buffer.concat(chunks), truncated: true };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Rejects as soon as the signal is aborted. undici handles an abort only once it is connected, so a hanging name server
 * or host would delay the caller.
 */
function raceWithAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function explainCallFailure(error: unknown, url: URL, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : explainFailure(error, url);
}

function createRedirectError(url: URL, status: number, headers: ResponseHeaders): OutboundError {
  const { location } = headers;
  const target = location === undefined ? "" : (URL.parse(String(location), url)?.href ?? String(location));
  const shortTarget = target.length > 200 ? `${target.slice(0, 200)}…` : target;
  const message = shortTarget
    ? `${url.host} redirects to ${shortTarget} (HTTP ${status}). Redirects are not followed.`
    : `${url.host} responds with HTTP ${status} and names no address at which to continue.`;
  return new OutboundError("redirect", message, {
    status,
    location: URL.parse(target)?.href,
    cookies: [headers["set-cookie"] ?? []].flat(),
  });
}

/** Refuses a Host header, because it would also change the name that TLS requests and verifies. */
function refuseHostHeader(headers: Record<string, string>): void {
  if (Object.keys(headers).some((name) => name.toLowerCase() === "host")) {
    throw new OutboundError("refused", "The Host header is derived from the URL and cannot be set.");
  }
}

function ignoreError(): void {}

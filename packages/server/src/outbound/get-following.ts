import { DecompressError, decompress } from "./decompress.ts";
import type { Outbound } from "./guarded-request.ts";
import { OutboundError } from "./outbound-error.ts";

const MAX_REDIRECTS = 5;

type GetOptions = {
  url: string;
  organizationId: string;
  headers?: Record<string, string>;
  /** the limit for all requests together, including redirects */
  timeoutMs: number;
  /** the limit for the body, both compressed and decompressed */
  maxBytes: number;
  signal?: AbortSignal;
  /** Throws to refuse a redirect to this URL. */
  checkRedirect?: (url: string) => void | Promise<void>;
};

/** `url` is the final URL after redirects. */
export type GetResult = {
  url: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

/**
 * Fetches a URL that a member entered and follows up to 5 redirects. The guard checks every URL. The body is
 * decompressed outside the event loop, up to `maxBytes`.
 * @throws OutboundError
 */
export async function getWithRedirects(outbound: Outbound, { signal, ...options }: GetOptions): Promise<GetResult> {
  const { url, timeoutMs } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await followRedirects(outbound, {
      ...options,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
  } catch (error) {
    if (!deadline.aborted || error !== deadline.reason) throw error;
    const host = URL.parse(url)?.host;
    throw new OutboundError("timeout", `${host} did not respond completely within ${timeoutMs / 1_000} s.`);
  }
}

async function followRedirects(outbound: Outbound, { checkRedirect, ...options }: GetOptions): Promise<GetResult> {
  let { url } = options;
  const cookies = createHopCookies();
  for (let redirects = 0; ; redirects++) {
    try {
      const headers = { ...options.headers, ...cookies.headerFor(url) };
      return { url, ...(await get(outbound, { ...options, headers, url })) };
    } catch (error) {
      if (!(error instanceof OutboundError) || error.location === undefined) throw error;
      const { location } = error;
      cookies.store(url, error.cookies);
      if (redirects === MAX_REDIRECTS) {
        throw new OutboundError("redirect", `${options.url} redirects more than ${MAX_REDIRECTS} times.`);
      }
      if (!/^https?:/.test(location)) {
        const target = location.length > 200 ? `${location.slice(0, 200)}…` : location;
        throw new OutboundError("redirect", `${url} redirects to ${target}, which is not an http or https address.`);
      }
      await checkRedirect?.(location);
      url = location;
    }
  }
}

const MAX_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4_096;

/**
 * The cookies that redirects set, for the next requests of the same fetch to the same host. Some sites redirect to the
 * same address until the client sends back a cookie.
 */
function createHopCookies() {
  const hosts = new Map<string, Map<string, string>>();
  return {
    store(url: string, setCookies: readonly string[]): void {
      const { hostname } = new URL(url);
      const stored = hosts.get(hostname) ?? new Map<string, string>();
      hosts.set(hostname, stored);
      for (const line of setCookies) {
        const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(line.slice(0, MAX_COOKIE_LENGTH)) ?? [];
        if (name !== undefined && (stored.has(name) || stored.size < MAX_COOKIES))
          stored.set(name, value?.trim() ?? "");
      }
    },
    headerFor(url: string): Record<string, string> {
      const stored = hosts.get(new URL(url).hostname);
      if (!stored || stored.size === 0) return {};
      return { cookie: [...stored].map(([name, value]) => `${name}=${value}`).join("; ") };
    },
  };
}

async function get(outbound: Outbound, { url, organizationId, headers, timeoutMs, maxBytes, signal }: GetOptions) {
  const response = await outbound.request({
    url,
    method: "GET",
    headers: { "accept-encoding": "gzip, deflate, br", ...headers },
    trust: "untrusted",
    organizationId,
    timeoutMs,
    maxBytes,
    signal,
  });
  if (response.truncated) throw createTooLargeError(url, maxBytes);
  const body = await decompress(response.body, response.headers["content-encoding"], maxBytes).catch(
    (error: unknown) => {
      if (!(error instanceof DecompressError)) throw error;
      if (error.kind === "too_large") throw createTooLargeError(url, maxBytes);
      throw new OutboundError(
        "unreachable",
        error.kind === "unknown"
          ? `${url} responded in an encoding that was not requested (${error.encoding}).`
          : `${url} sent a body that cannot be decompressed.`,
      );
    },
  );
  return { status: response.status, headers: response.headers, body };
}

function createTooLargeError(url: string, maxBytes: number) {
  return new OutboundError("too_large", `${url} is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`);
}

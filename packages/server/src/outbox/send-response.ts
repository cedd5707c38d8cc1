import type { Logger } from "pino";
import { isUnavailable } from "../db/database-errors.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import { MailError } from "../outbound/mail-error.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { parseRetryAfter } from "../outbound/retry-after.ts";
import type { AttemptResult, Redirect } from "./attempts.ts";
import { createSlowReceivers } from "./slow-receivers.ts";

/** The maximum number of bytes of a response that are read, and that are stored. */
const READ_BYTES = 64 * 1024;
const STORED_BYTES = 16 * 1024;

/** A failure after which the delivery is not attempted again. */
export function createFinalFailure(error: string, detail: string): AttemptResult {
  return { ...createFailure(error, detail), isFinal: true };
}

export const delivered: AttemptResult = { status: null, error: null, detail: null, response: null, retryAfterMs: 0 };

export function createFailure(error: string, detail: string): AttemptResult {
  return { ...delivered, error, detail };
}

type Post = {
  url: string;
  organizationId: string;
  headers: Record<string, string>;
  body: Buffer | string;
  signal: AbortSignal;
  /** Called before the request is repeated at another host, to which its content goes as well. */
  onMove?: (host: string) => Promise<void>;
  /** defaults to JSON */
  contentType?: string;
};

/**
 * Creates a function that posts to a receiver. It rejects if there is no response, and `explainFailure` converts that
 * error into a result.
 */
export function createPost({ config, outbound }: Pick<Deps, "config" | "outbound">) {
  const receivers = createSlowReceivers();
  return async ({ headers, contentType = "application/json", ...request }: Post): Promise<AttemptResult> => {
    const allHeaders = { "user-agent": "Foyer", ...headers, "content-type": contentType };
    const key = `${request.organizationId} ${URL.parse(request.url)?.origin}`;
    return receivers.attempt(key, {
      timeoutMs: config.webhooks.timeout,
      isTimeout,
      run: (timeoutMs) => postOnce(outbound, { ...request, headers: allHeaders }, timeoutMs),
    });
  };
}

/** The maximum number of characters of a stored redirect target. */
const MAX_LOCATION = 2_000;

const isTimeout = (error: unknown) => error instanceof OutboundError && error.kind === "timeout";

/** How long the body of a response may take after its headers, which alone decide whether the delivery succeeded. */
const BODY_TIMEOUT_MS = 2_000;

/** The headers that a receiver at another address gets. Others may contain the credentials of the first one. */
const portableHeaders = ["user-agent", "content-type", "webhook-id", "webhook-timestamp", "webhook-signature"];

/**
 * Posts and follows at most one redirect. After 307, 308 and a redirect that only changes http to https, the request is
 * repeated at the new address. A 301, 302 or 303 is a failure, because browsers would turn the request into a GET of a
 * page that does not know the delivery. The exception is Google's script host: it redirects after the script has run,
 * so its response is only read.
 */
async function postOnce(
  outbound: Deps["outbound"],
  { url, headers, body, onMove, ...caller }: Omit<Post, "contentType">,
  timeoutMs: number,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const limits = { maxBytes: READ_BYTES, bodyTimeoutMs: BODY_TIMEOUT_MS, trust: "untrusted" } as const;
  const post = { ...caller, ...limits, method: "POST", url, headers, body, timeoutMs } as const;
  try {
    return readResult(await outbound.request(post));
  } catch (error) {
    if (!(error instanceof OutboundError) || error.kind !== "redirect") throw error;
    const { status = 0, location } = error;
    const failure = { ...createFailure(error.publicMessage, error.message), status };
    if (location === undefined) return failure;
    const redirect = { status, location: location.slice(0, MAX_LOCATION) };
    const timeLeft = Math.max(1, Math.ceil(timeoutMs - (performance.now() - startedAt)));
    const next = { ...post, url: location, timeoutMs: timeLeft };
    if (status === 307 || status === 308 || isUpgrade(url, location)) {
      const { host } = new URL(location);
      if (host !== new URL(url).host) await onMove?.(host);
      const repeated = await follow(outbound, { ...next, headers: headersFor(location, post) });
      return { ...repeated, redirect };
    }
    if (isScriptResponse(url, location)) {
      const agent = { "user-agent": headers["user-agent"] ?? "" };
      const { response } = await follow(outbound, { ...next, method: "GET", headers: agent, body: undefined });
      return { ...delivered, status, response, redirect };
    }
    return { ...failure, detail: explainRedirect(redirect), redirect };
  }
}

/** Sends the request at the address of a redirect. A time limit is thrown, because it says that the receiver is slow. */
async function follow(
  outbound: Deps["outbound"],
  request: Parameters<Deps["outbound"]["request"]>[0],
): Promise<AttemptResult> {
  try {
    const response = await outbound.request(request);
    const result = readResult(response);
    if (result.error !== null || !isSignInPage(request.url, response)) return result;
    const detail = `The receiver's redirect led to ${request.url}, which is a sign-in page. The delivery did not reach your program. Use an address that accepts requests without signing in.`;
    return { ...result, error: "Redirected to a sign-in page", detail };
  } catch (error) {
    if (!(error instanceof OutboundError) || isTimeout(error)) throw error;
    return { ...createFailure(error.publicMessage, error.message), status: error.status ?? null };
  }
}

function explainRedirect({ status, location }: Redirect): string {
  const page = namesSignIn(location) ? "a sign-in page" : "another address";
  return `The receiver responded with HTTP ${status} and pointed to ${page}: ${location}. A redirect does not accept the delivery. Enter the address that accepts it without a redirect, or respond with a status from 200 to 299.`;
}

/** Whether Google Apps Script points to the response of a script that has run, and not to a page such as its sign-in. */
function isScriptResponse(from: string, to: string): boolean {
  return (
    URL.parse(from)?.hostname === "script.google.com" && URL.parse(to)?.hostname === "script.googleusercontent.com"
  );
}

const namesSignIn = (url: string) =>
  /(^|[^a-z])(log[-_]?in|sign[-_]?in|log[-_]?on|sso|saml2?|oauth2?)([^a-z]|$)|\/\/accounts\./i.test(url);

/** Whether a successful response is a page on which people sign in, so that no program has seen the request. */
function isSignInPage(
  url: string,
  { headers, body }: Pick<Awaited<ReturnType<Deps["outbound"]["request"]>>, "headers" | "body">,
): boolean {
  if (!/^text\/html|^application\/xhtml/i.test(String(headers["content-type"] ?? ""))) return false;
  const html = body.toString("utf8");
  return (
    /<input\b[^>]*\btype\s*=\s*["']?password/i.test(html) || (namesSignIn(url) && /<(form|title|body)\b/i.test(html))
  );
}

function isUpgrade(from: string, to: string | undefined): boolean {
  const [before, after] = [URL.parse(from), URL.parse(to ?? "")];
  if (before?.protocol !== "http:" || after?.protocol !== "https:") return false;
  return before.hostname === after.hostname && before.pathname === after.pathname && before.search === after.search;
}

function headersFor(location: string, { url, headers }: Pick<Post, "url" | "headers">): Record<string, string> {
  if (URL.parse(location)?.origin === URL.parse(url)?.origin || isUpgrade(url, location)) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => portableHeaders.includes(name)));
}

function readResult({ status, headers, body }: Awaited<ReturnType<Deps["outbound"]["request"]>>): AttemptResult {
  const isSuccess = status >= 200 && status < 300;
  const outcome = isSuccess
    ? delivered
    : createFailure(`HTTP ${status}`, `The receiver responded with HTTP ${status}.`);
  // Remove NUL characters, because PostgreSQL cannot store them in text.
  const response = body.subarray(0, STORED_BYTES).toString("utf8").replaceAll("\0", "");
  return { ...outcome, status, response, retryAfterMs: parseRetryAfter(headers["retry-after"]) ?? 0 };
}

/**
 * Converts the error of an attempt into its result. Rethrows the error if `signal` aborted the attempt or the database
 * is unavailable, because the receiver did not cause such a failure.
 */
export function explainFailure(error: unknown, signal: AbortSignal, log: Logger): AttemptResult {
  if (signal.aborted) throw error;
  if (error instanceof OutboundError)
    return { ...createFailure(error.publicMessage, error.message), status: error.status ?? null };
  if (error instanceof AppError) return createFailure("Too large", error.message);
  if (error instanceof MailError) return createFailure("Rejected by the mail server", error.message);
  // Check this last: it inspects the message, and the messages of the errors above can quote the receiver.
  if (isUnavailable(error)) throw error;
  log.error({ err: error }, "could not build a delivery");
  return createFailure(
    "Could not be sent",
    "The server could not build the request. See the server log for the reason.",
  );
}

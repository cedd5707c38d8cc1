import type { Logger } from "pino";
import { isUnavailable } from "../db/database-errors.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import { MailError } from "../outbound/mail-error.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { parseRetryAfter } from "../outbound/retry-after.ts";
import type { AttemptResult } from "./attempts.ts";
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
  const isTimeout = (error: unknown) => error instanceof OutboundError && error.kind === "timeout";
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

/** The address will never work again, so nothing is sent to it again. */
const HTTP_GONE = 410;

/** How long the body of a response may take after its headers, which alone decide whether the delivery succeeded. */
const BODY_TIMEOUT_MS = 2_000;

/** The headers that a receiver at another address gets. Others may contain the credentials of the first one. */
const portableHeaders = ["user-agent", "content-type", "webhook-id", "webhook-timestamp", "webhook-signature"];

/**
 * Posts and follows one redirect. After 307 and 308, the request is repeated at the new address. After 301, 302 and
 * 303, the receiver has already processed it, as scripts of Google Apps Script do, so the new address is only read and
 * no failure from then on is retried. The exception is a redirect to the same address with https, which web servers
 * send before the request reaches any program.
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
    const isRepeated = status === 307 || status === 308 || isUpgrade(url, location);
    if (location === undefined) {
      if (isRepeated) throw error;
      return { ...createFailure(`HTTP ${status}`, error.message), status, isFinal: true };
    }
    const next = {
      ...post,
      url: location,
      timeoutMs: Math.max(1, Math.ceil(timeoutMs - (performance.now() - startedAt))),
    };
    if (isRepeated) {
      const { host } = new URL(location);
      if (host !== new URL(url).host) await onMove?.(host);
      return readResult(await outbound.request({ ...next, headers: headersFor(location, post) }));
    }
    try {
      const agent = { "user-agent": headers["user-agent"] ?? "" };
      const result = readResult(await outbound.request({ ...next, method: "GET", headers: agent, body: undefined }));
      return result.error === null ? result : { ...result, isFinal: true, detail: explainRead(status, result.detail) };
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause;
      return { ...createFailure(`HTTP ${status}`, explainRead(status, cause.message)), status, isFinal: true };
    }
  }
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

function explainRead(status: number, problem: string | null): string {
  return `The receiver got the request and responded with a redirect (HTTP ${status}), but the address that it names failed: ${problem} The delivery is not repeated, because the receiver may have processed it.`;
}

function readResult({ status, headers, body }: Awaited<ReturnType<Deps["outbound"]["request"]>>): AttemptResult {
  const isSuccess = status >= 200 && status < 300;
  const outcome = isSuccess
    ? delivered
    : createFailure(`HTTP ${status}`, `The receiver responded with HTTP ${status}.`);
  // Remove NUL characters, because PostgreSQL cannot store them in text.
  const response = body.subarray(0, STORED_BYTES).toString("utf8").replaceAll("\0", "");
  const result = { ...outcome, status, response, retryAfterMs: parseRetryAfter(headers["retry-after"]) ?? 0 };
  return status === HTTP_GONE ? { ...result, isFinal: true } : result;
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

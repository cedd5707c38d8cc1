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
    return receivers.attempt(key, config.webhooks.timeout, isTimeout, async (timeoutMs) => {
      const limits = { timeoutMs, maxBytes: READ_BYTES, trust: "untrusted" } as const;
      return readResult(await outbound.request({ ...request, method: "POST", headers: allHeaders, ...limits }));
    });
  };
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

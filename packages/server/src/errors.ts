import { type DetailCode, type ErrorCode, type ErrorDetail, errorStatus } from "@foyer/contract";

/** An error that becomes a response. `http/error-replies.ts` renders it. The message is written for the caller. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetail[] | undefined;
  /** seconds, sent as `Retry-After` */
  readonly retryAfter: number | undefined;
  /** the limit that was reached, sent as `X-RateLimit-Limit` */
  readonly limit: number | undefined;
  /** the current hash of what an `If-Match` did not match, sent as `ETag` */
  readonly etag: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    extra: { details?: ErrorDetail[]; retryAfter?: number; limit?: number; etag?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.status = errorStatus[code];
    this.details = extra.details;
    this.retryAfter = extra.retryAfter;
    this.limit = extra.limit;
    this.etag = extra.etag;
  }
}

/** 400 for one field. `code` is the machine-readable reason; name one when a specific code applies. */
export function invalid(path: string, message: string, code: DetailCode = "invalid"): AppError {
  const details = [{ path, code, message }];
  return new AppError("VALIDATION_ERROR", path ? `${path} ${message}` : message, { details });
}

/** The maximum number of entries in `error.details`. */
export const MAX_DETAILS = 20;

/**
 * Runs independent checks and throws one 400 with the problems of all that failed. Other errors are thrown immediately.
 */
export function checkAll(checks: Iterable<() => void>): void {
  const failures: AppError[] = [];
  for (const check of checks) {
    try {
      check();
    } catch (error) {
      failures.push(toProblem(error));
    }
  }
  throwAll(failures);
}

/** `checkAll` for checks that read the database. They run sequentially. */
export async function checkAllSequentially(checks: Iterable<() => unknown>): Promise<void> {
  const failures: AppError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      failures.push(toProblem(error));
    }
  }
  throwAll(failures);
}

/** @throws the error itself unless it reports invalid fields */
function toProblem(error: unknown): AppError {
  if (error instanceof AppError && error.code === "VALIDATION_ERROR") return error;
  throw error;
}

function throwAll(failures: AppError[]): void {
  const [first, ...others] = failures;
  if (!first) return;
  if (others.length === 0) throw first;
  const details = failures.flatMap(({ details = [] }) => details).slice(0, MAX_DETAILS);
  throw new AppError("VALIDATION_ERROR", first.message, { details });
}

/** 404. Identical for resources that do not exist and resources of another organization. */
export function notFound(what: string): AppError {
  return new AppError("NOT_FOUND", `${what} not found.`);
}

/** 503 for work that the server does not start or finish during its shutdown. */
export function shuttingDown(): AppError {
  return new AppError("OVERLOADED", "The server is shutting down.", { retryAfter: 5 });
}

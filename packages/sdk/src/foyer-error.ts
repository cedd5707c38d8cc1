import type { DetailCode, ErrorCode } from "@foyer/contract";

/**
 * The server's error codes, and the SDK's own: the server could not be reached, a stream broke and could not be
 * resumed, or a webhook's signature does not match.
 */
export type FoyerErrorCode = ErrorCode | "UNREACHABLE" | "INTERRUPTED" | "INVALID_SIGNATURE";

/** Every failed call rejects with this error. `message` is the server's own, in English, when the server sent one. */
export class FoyerError extends Error {
  readonly code: FoyerErrorCode;
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  /** One entry per invalid field. Empty when the problem is not limited to fields. Older servers do not send `code`. */
  readonly details: ReadonlyArray<{ path: string; code?: DetailCode; message: string }>;
  /** Seconds to wait before the next attempt, or null when the server sent no time. */
  readonly retryAfter: number | null;

  constructor(
    code: FoyerErrorCode,
    message: string,
    more: { status?: number; details?: FoyerError["details"]; retryAfter?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "FoyerError";
    this.code = code;
    this.status = more.status ?? 0;
    this.details = more.details ?? [];
    this.retryAfter = more.retryAfter ?? null;
  }

  /** Whether the same call may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** Converts an unsuccessful response to an error. */
export async function readError(response: Response): Promise<FoyerError> {
  const { status } = response;
  const answer = (await response.json().catch(() => null)) as { error?: Partial<FoyerError> } | null;
  const { code, message, details } = answer?.error ?? {};
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new FoyerError(code ?? codeForStatus(status), message ?? `The server responded with ${status}.`, {
    status,
    details: details ?? [],
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

/** For responses that do not come from Foyer, such as a proxy's. */
function codeForStatus(status: number): FoyerErrorCode {
  if (status === 429) return "RATE_LIMITED";
  if (status === 413) return "PAYLOAD_TOO_LARGE";
  if (status === 404) return "NOT_FOUND";
  return status >= 500 ? "OVERLOADED" : "FORBIDDEN";
}

type OutboundErrorKind = "refused" | "timeout" | "unreachable" | "too_large" | "redirect" | "busy";

/**
 * A call that was refused or failed. `message` contains the exact reason, for members. `publicMessage` is for all other
 * readers. It does not distinguish a refused address from an unreachable one, so that callers cannot map the internal
 * network by trying addresses.
 */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  readonly publicMessage: string;
  /** the HTTP status of the response, if there was one (a redirect) */
  readonly status: number | undefined;
  /** the absolute URL of a redirect's target */
  readonly location: string | undefined;
  /** the `Set-Cookie` headers of a redirect */
  readonly cookies: readonly string[];

  constructor(
    kind: OutboundErrorKind,
    message: string,
    extra: { status?: number; location?: string | undefined; cookies?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause });
    this.name = "OutboundError";
    this.kind = kind;
    this.status = extra.status;
    this.location = extra.location;
    this.cookies = extra.cookies ?? [];
    this.publicMessage = kind === "redirect" && extra.status ? `HTTP ${extra.status}` : publicMessages[kind];
  }
}

const publicMessages: Record<OutboundErrorKind, string> = {
  refused: "Not reachable",
  unreachable: "Not reachable",
  redirect: "Redirected",
  timeout: "Timed out",
  too_large: "Response too large",
  busy: "Too many calls at once",
};

/** Converts a network failure into an OutboundError. `url` is the URL of the call. */
export function explainFailure(error: unknown, url: URL): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code, message } = findFirstCause(error);
  const host = url.host;
  const createError = (kind: OutboundErrorKind, text: string) => new OutboundError(kind, text, { cause: error });
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return createError("unreachable", `${url.hostname} could not be resolved (${code}).`);
    case "ECONNREFUSED":
      return createError("unreachable", `${host} does not accept connections.`);
    case "UND_ERR_SOCKET":
    case "ECONNRESET":
    case "EPIPE":
      return createError("unreachable", `${host} closed the connection before the response was complete.`);
    case "UND_ERR_CONNECT_TIMEOUT":
    case "ETIMEDOUT":
      return createError("timeout", `${host} did not accept a connection in time.`);
    case "UND_ERR_HEADERS_OVERFLOW":
      return createError("too_large", `${host} sent too many response headers.`);
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      return createError("refused", `The request to ${host} cannot be sent: ${message}.`);
    default:
      return createError("unreachable", `${host} could not be reached: ${message}${code ? ` (${code})` : ""}.`);
  }
}

const connectionCodes = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENODATA",
  "ESERVFAIL",
  "EREFUSED",
  "ETIMEOUT",
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * Whether the request certainly did not reach the receiver. After any other failure, the receiver may have processed
 * it.
 */
export function wasNeverSent({ kind, cause }: OutboundError): boolean {
  return kind === "refused" || kind === "busy" || connectionCodes.has(findFirstCause(cause).code);
}

/**
 * Returns the first cause of an error. If all addresses of a name fail, Node throws an AggregateError without a
 * message.
 */
function findFirstCause(error: unknown): { code: string; message: string } {
  const first = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (!(first instanceof Error)) return { code: "", message: String(first) };
  return { code: "code" in first ? String(first.code ?? "") : "", message: first.message };
}

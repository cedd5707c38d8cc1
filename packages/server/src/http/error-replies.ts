import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isClosed, isUnavailable } from "../db/database-errors.ts";
import { AppError, shuttingDown } from "../errors.ts";
import type { RouteTable } from "./allowed-methods.ts";
import { registerClientErrors } from "./client-errors.ts";

const BODY_TOO_LARGE = "The body is larger than this endpoint accepts.";
const MIB = 1024 * 1024;

/** Registers handlers that convert every error into a response. */
export function registerErrorReplies(
  app: FastifyInstance,
  routes: RouteTable,
  notFoundPage: () => Promise<string>,
): void {
  registerClientErrors(app);
  app.setErrorHandler((error: FastifyError | AppError, request, reply) =>
    sendError(withLimit(toAppError(error), request), request, reply),
  );
  app.setNotFoundHandler((request, reply) => {
    const allowed = routes.listMethods(request.url);
    if (allowed.length === 0) {
      if (acceptsHtml(request)) return sendPage(reply, notFoundPage);
      return sendError(new AppError("NOT_FOUND", "There is no endpoint at this path."), request, reply);
    }
    reply.header("allow", allowed.join(", "));
    const message = `This endpoint supports ${allowed.join(", ")}, not ${request.method}.`;
    return sendError(new AppError("METHOD_NOT_ALLOWED", message), request, reply);
  });
}

/** Returns true if a browser opens the URL as a page. Programs and scripts send no `Accept` header with `text/html`. */
function acceptsHtml({ method, headers }: FastifyRequest): boolean {
  return method === "GET" && /\btext\/html\b/.test(headers.accept ?? "");
}

async function sendPage(reply: FastifyReply, page: () => Promise<string>) {
  const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'";
  return reply
    .status(404)
    .headers({ "content-security-policy": policy, "cache-control": "no-store" })
    .type("text/html; charset=utf-8")
    .send(await page());
}

/**
 * Sends an error response. A server error is logged with its cause, and its response contains only a general message.
 */
export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply) {
  if (error.status >= 500 && error.cause) request.log.error({ err: error.cause }, "request failed");
  // Set the header here as well, because a request with a malformed URL never reaches the hook that sets it.
  reply.header("x-request-id", request.id);
  if (error.status === 401) reply.header("www-authenticate", "Bearer");
  if (error.retryAfter !== undefined) reply.header("retry-after", Math.ceil(error.retryAfter));
  if (error.etag !== undefined) reply.header("etag", error.etag);
  if (error.limit !== undefined) {
    const reset = Math.ceil(Date.now() / 1_000 + (error.retryAfter ?? 0));
    reply.headers({ "x-ratelimit-limit": error.limit, "x-ratelimit-remaining": 0, "x-ratelimit-reset": reset });
  }
  const details = error.details ? { details: error.details } : {};
  return reply
    .status(error.status)
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send({ data: null, error: { code: error.code, message: error.message, ...details } });
}

/** Adds the endpoint's limit to the error of a body that exceeds it. */
function withLimit(error: AppError, { routeOptions: { bodyLimit } }: FastifyRequest): AppError {
  if (error.message !== BODY_TOO_LARGE || bodyLimit < MIB) return error;
  return new AppError(error.code, `${BODY_TOO_LARGE} It accepts at most ${bodyLimit / MIB} MiB.`);
}

/** Converts an error of the framework or the database, or an unexpected error, into the error to send. */
export function toAppError(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error;
  // A shutdown closes the connection and then the database, so a request that is still running can find the database
  // closed.
  if (isClosed(error)) return shuttingDown();
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (status === 413) return new AppError("PAYLOAD_TOO_LARGE", BODY_TOO_LARGE);
  if (status === 415)
    return new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON with `Content-Type: application/json`.");
  // No resource has a URI of this length.
  if (status === 414) return new AppError("NOT_FOUND", "There is no endpoint at this path.");
  if (status === 408) return new AppError("REQUEST_TIMEOUT", "The request did not arrive in time.");
  if (status !== undefined && status >= 400 && status < 500) return new AppError("VALIDATION_ERROR", error.message);
  const appError = isUnavailable(error)
    ? new AppError("OVERLOADED", "The database is not available right now. Try again in a moment.", { retryAfter: 5 })
    : new AppError(
        "INTERNAL",
        "Something went wrong on the server. The server log has the details under this request's id.",
      );
  appError.cause = error;
  return appError;
}

import { type FastifyReply, type FastifyRequest, LogController } from "fastify";

/**
 * Endpoints that monitoring systems request every few seconds. These requests are not logged, because they would hide
 * the others.
 */
const monitoringPaths = new Set(["/healthz", "/readyz", "/metrics"]);

/** Logs one line per request when it ends, with its id. */
export class RequestLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: "requestId" });
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { method, url, ip } = request;
    const path = url.split("?", 1)[0];
    const line = { method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ip };
    if (monitoringPaths.has(path ?? "")) return;
    if (error) request.log.warn({ ...line, err: error }, "request aborted");
    else if (isAsset(request, reply)) request.log.debug(line, "request");
    else request.log.info(line, "request");
  }
}

/**
 * Whether the request is for a page or one of its files. Opening the dashboard sends a dozen of them, which would hide
 * the other requests in the log.
 */
function isAsset({ method, routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return method === "GET" && routeOptions.schema?.hide === true && statusCode < 400;
}

import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";

const timedOut = {
  status: "408 Request Timeout",
  code: "REQUEST_TIMEOUT",
  message: "The request did not arrive in time.",
};
const headersTooLarge = { status: "400 Bad Request", code: "VALIDATION_ERROR", message: "The headers are too large." };
const malformed = { status: "400 Bad Request", code: "VALIDATION_ERROR", message: "This is not a valid HTTP request." };

/** Responds in our error format to connections that never became a request (too slow, or not HTTP), and closes them. */
export function registerClientErrors(app: FastifyInstance): void {
  // Fastify's listener uses a different error format.
  app.server.removeAllListeners("clientError");
  app.server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    const id = randomUUID();
    const { status, code, message } = describeError(error);
    app.log.info(
      { requestId: id, status: Number.parseInt(status, 10), problem: error.code },
      "connection without a valid request",
    );
    if (!socket.writable) return socket.destroy();
    const body = JSON.stringify({ data: null, error: { code, message } });
    const headers = [
      `HTTP/1.1 ${status}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${body.length}`,
      `x-request-id: ${id}`,
      "connection: close",
    ];
    socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  });
}

function describeError({ code }: NodeJS.ErrnoException) {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return timedOut;
  return code === "HPE_HEADER_OVERFLOW" ? headersTooLarge : malformed;
}

import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError, invalid } from "../errors.ts";
import { type JsonProblem, readJson } from "./json-value.ts";
import { createReadingThread, LARGE_BODY_BYTES } from "./reading-thread.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** whether the body was refused before it was validated, because it is invalid, too large or too deep */
    isBodyRefused: boolean;
  }
}

/** The maximum number of values in the body of a request without an API key or a session. */
export const MAX_VISITOR_VALUES = 5_000;
const MAX_VALUES = 100_000;

/**
 * Registers the parsers for bodies, which accept only JSON. Large bodies are parsed off the event loop. An empty body of
 * any type counts as no body. Invalid JSON gets 400, and any other content type gets 415.
 */
export function registerJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest("isBodyRefused", false);
  app.addHook("onRequest", ({ headers }, _, done) => {
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (!hasBody) delete headers["content-type"];
    done();
  });
  const thread = createReadingThread<ReturnType<typeof readJson>, { maxValues: number }>(
    new URL("./read-json-thread.ts", import.meta.url),
  );
  app.addHook("onClose", () => thread.stop());
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    const encoding = request.headers["content-encoding"]?.trim().toLowerCase() || "identity";
    if (encoding !== "identity") {
      const name = /^[\w-]{1,20}$/.test(encoding) ? `: ${encoding}` : "";
      const message = `The body is compressed (Content-Encoding${name}). Send it uncompressed.`;
      throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
    }
    const maxValues = request.principal || request.signedIn ? MAX_VALUES : MAX_VISITOR_VALUES;
    const result = body.length > LARGE_BODY_BYTES ? await thread.read(body, { maxValues }) : readJson(body, maxValues);
    if ("problem" in result) {
      request.isBodyRefused = true;
      throw createBodyError(result.problem);
    }
    return result.value;
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    done(new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON with `Content-Type: application/json`."));
  });
}

/** Creates the 400 error for a body that cannot be parsed. */
export function createBodyError({ path, message }: JsonProblem): AppError {
  return path ? invalid(path, message, "not_allowed") : new AppError("VALIDATION_ERROR", `The body ${message}.`);
}

import type { FastifyInstance } from "fastify";
import { AppError, invalid } from "../errors.ts";
import { type JsonProblem, readJson } from "./json-value.ts";

/**
 * Registers the parsers for bodies, which accept only JSON. An empty body of any type counts as no body. Invalid JSON
 * gets 400, and any other content type gets 415.
 */
export function registerJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addHook("onRequest", ({ headers }, _, done) => {
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (!hasBody) delete headers["content-type"];
    done();
  });
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const result = readJson(body as Buffer);
    if ("problem" in result) done(createBodyError(result.problem));
    else done(null, result.value);
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

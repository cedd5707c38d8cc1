import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";
import { nulProblem } from "./nul-characters.ts";

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * JSON is the only body there is. An empty body counts as none whatever its type; `__proto__`, NUL characters, too deep
 * or too many values are 400; any other type with content is 415.
 */
export function useJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addHook("onRequest", ({ headers }, _, done) => {
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (!hasBody) delete headers["content-type"];
    done();
  });
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body as Buffer)) return done(new AppError("VALIDATION_ERROR", "The body is not valid UTF-8."));
    const text = body.toString("utf8");
    parse(request, text, (error, value) => {
      if (error) return done(new AppError("VALIDATION_ERROR", "The body is not valid JSON."));
      // JSON has one way to write NUL, so that few bodies are searched for it.
      done(shapeProblem(value) ?? (text.includes("\\u0000") ? nulProblem(value) : null), value);
    });
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    done(new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON with `Content-Type: application/json`."));
  });
}

/** Level by level, without recursion: what is too deep for us must not overflow our own stack either. */
function shapeProblem(value: unknown): AppError | null {
  let level: unknown[] = [value];
  let count = 1;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      return new AppError("VALIDATION_ERROR", `The body is nested deeper than ${MAX_DEPTH} levels.`);
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const child of Object.values(item)) {
        count++;
        if (typeof child === "object" && child !== null) next.push(child);
      }
    }
    if (count > MAX_VALUES) return new AppError("VALIDATION_ERROR", `The body has more than ${MAX_VALUES} values.`);
    level = next;
  }
  return null;
}

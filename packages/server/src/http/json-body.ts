import type { FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * JSON is the only body there is. An empty body counts as none whatever its type; `__proto__`, too deep or too many
 * values are 400; any other type with content is 415.
 */
export function useJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    parse(request, body as string, (error, value) => {
      if (error) return done(new AppError("VALIDATION_ERROR", "The body is not valid JSON."));
      try {
        done(null, checkShape(value));
      } catch (problem) {
        done(problem as Error);
      }
    });
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    done(new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON with `Content-Type: application/json`."));
  });
}

/** Level by level, without recursion: what is too deep for us must not overflow our own stack either. */
function checkShape(value: unknown): unknown {
  let level: unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (depth > MAX_DEPTH)
      throw new AppError("VALIDATION_ERROR", `The body is nested deeper than ${MAX_DEPTH} levels.`);
    if (count > MAX_VALUES) throw new AppError("VALIDATION_ERROR", `The body has more than ${MAX_VALUES} values.`);
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const child of Object.values(item)) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return value;
}

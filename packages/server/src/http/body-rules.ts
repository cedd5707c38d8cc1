import type { ErrorDetail } from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { AppError, MAX_DETAILS } from "../errors.ts";
import { SchemaError } from "./validation.ts";

/** The valid part of a body that its schema rejects. `refused` contains the names of the removed properties. */
export type PartialBody<Body> = { body: Partial<Body>; refused: ReadonlySet<string> };

/**
 * Creates options for a route whose body has rules that its schema cannot express. When the schema rejects the body,
 * `check` checks the remaining properties, and one response lists all problems. The route's handler must check a valid
 * body itself.
 */
export function withBodyRules<Body, Params = unknown>(
  check: (part: PartialBody<Body>, request: FastifyRequest<{ Params: Params }>) => unknown,
) {
  return {
    // Otherwise, Fastify responds to an invalid body before `preHandler` runs.
    attachValidation: true,
    async preHandler(request: FastifyRequest<{ Params: Params }>): Promise<void> {
      const error = request.validationError;
      if (!error) return;
      if (!(error instanceof SchemaError) || error.malformedProperties === null) throw error;
      const refused = error.malformedProperties;
      const body = { ...(request.body as Partial<Body>) };
      for (const name of refused) Reflect.deleteProperty(body, name);
      throw withDetails(error, await collectProblems(() => check({ body, refused }, request)));
    },
  };
}

/** Returns the problems that a check throws as a 400. Rethrows other errors, such as a 404. */
async function collectProblems(check: () => unknown): Promise<ErrorDetail[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof AppError && error.code === "VALIDATION_ERROR") return error.details ?? [];
    throw error;
  }
}

/** Adds the problems of values that the schema has not already refused. */
function withDetails(error: SchemaError, problems: ErrorDetail[]) {
  const schemaDetails = error.details ?? [];
  const paths = [...schemaDetails.map(({ path }) => path), ...(error.malformedProperties ?? [])];
  const newProblems = problems.filter(({ path }) => !paths.some((refused) => isWithin(path, refused)));
  return new AppError("VALIDATION_ERROR", error.message, {
    details: [...schemaDetails, ...newProblems].slice(0, MAX_DETAILS),
  });
}

const isWithin = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`);

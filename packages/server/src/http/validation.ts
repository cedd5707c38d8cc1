import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FastifyInstance } from "fastify";
import type { ErrorDetail } from "../errors.ts";
import { AppError, invalid } from "../errors.ts";
import { nulMessage, pathOfNul } from "./nul-characters.ts";

/** Above this, one wrong value ends the check, so that a hostile body cannot make us list a million mistakes. */
const LIST_ALL_BELOW_BYTES = 65_536;
const MAX_DETAILS = 20;

/** Bodies are checked as they are; what comes as text (query, path, headers) is turned into the type first. */
export function useValidation(app: FastifyInstance): void {
  const compilers = { body: createAjv(false), text: createAjv(true) };
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const { first, all } = httpPart === "body" ? compilers.body : compilers.text;
    // Compiled with the first request that needs it: an idle server does not hold checks of all its routes.
    let check: ValidateFunction | undefined;
    let checkAll: ValidateFunction | undefined;
    return (value: unknown) => {
      const nulPath = httpPart === "querystring" || httpPart === "params" ? pathOfNul(value) : null;
      if (nulPath !== null) return { error: invalid(nulPath, nulMessage) };
      check ??= first.compile(schema as object);
      if (check(value)) return { value };
      let errors = check.errors ?? [];
      if (httpPart !== "body" || roughSize(value) < LIST_ALL_BELOW_BYTES) {
        checkAll ??= all.compile(schema as object);
        checkAll(value);
        errors = checkAll.errors ?? errors;
      }
      return { error: validationError(errors, httpPart ?? "body") };
    };
  });
}

function createAjv(coerceTypes: boolean) {
  const options = {
    coerceTypes,
    strict: false,
    strictNumbers: true,
    useDefaults: false,
    removeAdditional: false,
  } as const;
  const pair = { first: new Ajv(options), all: new Ajv({ ...options, allErrors: true }) };
  for (const ajv of [pair.first, pair.all]) {
    ajv.addFormat("date-time", true);
    ajv.addFormat("date-or-date-time", isDateOrDateTime);
  }
  return pair;
}

/** `2026-01-31`, or a full instant with its zone. */
function isDateOrDateTime(value: string) {
  return (
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value) && !Number.isNaN(Date.parse(value))
  );
}

function roughSize(value: unknown) {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

function validationError(errors: ErrorObject[], httpPart: string) {
  const details = errors.slice(0, MAX_DETAILS).map((error) => describe(error, httpPart));
  const [first] = details;
  const message = first ? `${first.path || "The body"} ${first.message}` : "The request is not valid";
  return new AppError("VALIDATION_ERROR", `${message}.`, { details });
}

function describe(error: ErrorObject, httpPart: string): ErrorDetail {
  const parent = error.instancePath.slice(1).split("/").map(unescapePointer).filter(Boolean);
  const missing = error.keyword === "required" ? [String(error.params.missingProperty)] : [];
  const path = [...parent, ...missing].join(".");
  return { path: httpPart === "body" || path ? path : httpPart, message: sentence(error) };
}

const unescapePointer = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");

function sentence({ keyword, params, message }: ErrorObject): string {
  const limit = String(params.limit);
  switch (keyword) {
    case "required":
      return "is required";
    case "type":
      return `must be ${String(params.type).replace(",", " or ")}`;
    case "enum":
      return `must be one of ${params.allowedValues.filter((value: unknown) => value !== null).join(", ")}`;
    case "maxLength":
      return `must be at most ${limit} characters long`;
    case "minLength":
      return limit === "1" ? "must not be empty" : `must be at least ${limit} characters long`;
    case "pattern":
      return params.pattern === "\\S" ? "must not be blank" : `must match ${params.pattern}`;
    case "minItems":
      return `must have at least ${limit} item${limit === "1" ? "" : "s"}`;
    case "maxItems":
      return `must have at most ${limit} items`;
    case "format":
      return "must be a date (2026-01-31) or an instant with its zone (2026-01-31T09:30:00Z)";
    default:
      return message ?? "is not valid";
  }
}

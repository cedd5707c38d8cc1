import type { DetailCode, ErrorDetail } from "@foyer/contract";
import { describePattern } from "@foyer/contract/rules/text-patterns";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FastifyInstance } from "fastify";
import { AppError, invalid, MAX_DETAILS } from "../errors.ts";
import { findNulPath, nulMessage } from "./nul-characters.ts";
import { convertQueryValues } from "./query-values.ts";

/**
 * The size of a body, in characters of JSON, from which on validation stops at the first invalid value. Otherwise, a
 * malicious body could produce a million errors.
 */
const LIST_ALL_BELOW_BYTES = 65_536;

/** The 400 for a part of a request that its schema rejects. */
export class SchemaError extends AppError {
  /**
   * The names of the body's properties whose value has the wrong shape, such as a number instead of a string. A value
   * that is only too short, too long or out of range has the right shape. `null` if not all errors of a body are known.
   */
  readonly malformedProperties: ReadonlySet<string> | null;

  constructor(message: string, details: ErrorDetail[], malformedProperties: ReadonlySet<string> | null) {
    super("VALIDATION_ERROR", message, { details });
    this.malformedProperties = malformedProperties;
  }
}

/**
 * Validates bodies, queries, path parameters and headers against the contract. Before validation, query values are
 * converted to numbers and booleans.
 */
export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) => {
    // Compile on the first request, so that an idle server does not keep the compiled checks of every route in memory.
    let check: ValidateFunction | undefined;
    let checkAll: ValidateFunction | undefined;
    return (value: unknown) => {
      const nulPath = httpPart === "querystring" || httpPart === "params" ? findNulPath(value) : null;
      if (nulPath !== null) return { error: invalid(nulPath, nulMessage, "not_allowed") };
      if (httpPart === "querystring") convertQueryValues(schema, value);
      check ??= firstErrorAjv.compile(schema as object);
      if (check(value)) return { value };
      if (httpPart === "body" && estimateSize(value) >= LIST_ALL_BELOW_BYTES) {
        return { error: createSchemaError(check.errors ?? [], { httpPart, isComplete: false }) };
      }
      checkAll ??= allErrorsAjv.compile(schema as object);
      checkAll(value);
      return { error: createSchemaError(checkAll.errors ?? [], { httpPart: httpPart ?? "body", isComplete: true }) };
    };
  });
}

/**
 * The Ajv instances are shared by all servers of the process, because they cache the compiled schemas and all servers
 * use the same schema objects of the contract.
 */
const { firstErrorAjv, allErrorsAjv } = createAjv();

function createAjv() {
  const options = { strict: false, strictNumbers: true, useDefaults: false, removeAdditional: false } as const;
  const instances = { firstErrorAjv: new Ajv(options), allErrorsAjv: new Ajv({ ...options, allErrors: true }) };
  for (const ajv of Object.values(instances)) {
    // The services check these formats with stricter rules and more specific messages.
    for (const format of ["date-time", "email", "uri", "uri-template"]) ajv.addFormat(format, true);
    ajv.addFormat("date-or-date-time", isDateOrDateTime);
  }
  return instances;
}

/** Accepts a date such as `2026-01-31`, or a full timestamp with its time zone. */
function isDateOrDateTime(value: string) {
  const date = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(value)?.[1];
  if (date === undefined || Number.isNaN(Date.parse(value))) return false;
  // Reject February 31, which Date.parse accepts as March 3.
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

function estimateSize(value: unknown) {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

function createSchemaError(errors: ErrorObject[], { httpPart, isComplete }: { httpPart: string; isComplete: boolean }) {
  const listed = dropPatternErrorsOfEmptyText(errors).slice(0, MAX_DETAILS);
  const details = listed.map((error) => createErrorDetail(error, httpPart));
  const [first] = details;
  const message = first ? `${first.path || "The body"} ${first.message}` : "The request is not valid";
  return new SchemaError(
    `${message}.`,
    details,
    httpPart === "body" && isComplete ? findMalformedProperties(errors) : null,
  );
}

/** Removes the pattern errors of empty strings, because "must not be empty" is enough. */
function dropPatternErrorsOfEmptyText(errors: ErrorObject[]): ErrorObject[] {
  const empty = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === "minLength" ? [instancePath] : [])));
  return errors.filter(({ keyword, instancePath }) => keyword !== "pattern" || !empty.has(instancePath));
}

/**
 * Returns the names of the body's properties whose value has the wrong shape, or `null` if the body itself has the
 * wrong shape.
 */
function findMalformedProperties(errors: ErrorObject[]): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const { keyword, instancePath, params } of errors) {
    if (boundKeywords.has(keyword)) continue;
    const [name = keyword === "required" ? String(params.missingProperty) : ""] = parsePointer(instancePath);
    if (name === "") return null;
    names.add(name);
  }
  return names;
}

const boundKeywords = new Set(
  "minLength maxLength minimum maximum pattern format minItems maxItems minProperties maxProperties".split(" "),
);

function createErrorDetail(error: ErrorObject, httpPart: string): ErrorDetail {
  const parent = parsePointer(error.instancePath);
  const path = [...parent, ...namedProperty(error)].join(".");
  const code = keywordCodes[error.keyword] ?? "invalid";
  return { path: httpPart === "body" || path ? path : httpPart, code, message: describeProblem(error) };
}

/** The property that an error of its object is about. */
function namedProperty({ keyword, params }: ErrorObject): string[] {
  if (keyword === "required") return [String(params.missingProperty)];
  return keyword === "additionalProperties" ? [String(params.additionalProperty)] : [];
}

const keywordCodes: Record<string, DetailCode | undefined> = {
  required: "required",
  additionalProperties: "not_allowed",
  type: "type",
  enum: "enum",
  const: "enum",
  minLength: "min_length",
  maxLength: "max_length",
  minimum: "min",
  maximum: "max",
  pattern: "pattern",
  format: "format",
  minItems: "min_items",
  minProperties: "min_items",
  maxItems: "max_items",
  maxProperties: "max_items",
};

/** Returns the property names in a JSON pointer such as `/messages/0/role`. */
function parsePointer(pointer: string): string[] {
  const parts = pointer.slice(1).split("/").filter(Boolean);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function describeProblem({ keyword, params, message }: ErrorObject): string {
  const limit = String(params.limit);
  switch (keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return "is not a known field";
    case "type":
      return params.type === "integer"
        ? "must be a whole number such as 20"
        : `must be ${String(params.type).replace(",", " or ")}`;
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "enum":
      return `must be one of ${params.allowedValues.filter((value: unknown) => value !== null).join(", ")}`;
    case "maxLength":
      return `must be at most ${limit} characters long`;
    case "minLength":
      return limit === "1" ? "must not be empty" : `must be at least ${limit} characters long`;
    case "pattern":
      return describePattern(String(params.pattern));
    case "minItems":
      return `must have at least ${limit} item${limit === "1" ? "" : "s"}`;
    case "maxItems":
      return `must have at most ${limit} items`;
    case "format":
      return "must be a date (2026-01-31) or a timestamp with a time zone (2026-01-31T09:30:00Z)";
    default:
      return message ?? "is invalid";
  }
}

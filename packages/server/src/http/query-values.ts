/** The part of JSON Schema that the contract uses for query strings. */
type QuerySchema = { properties?: Record<string, { type?: string | string[] }> };

/** A decimal integer in canonical form: no plus sign, leading zero, fraction, exponent, space or hex. */
const canonicalInteger = /^(?:0|-?[1-9]\d*)$/;

/**
 * Converts query parameters in place to the types that the schema declares. Text that is not a canonical integer,
 * `true` or `false` remains text, so that validation rejects it. Ajv's coercion is not used because it accepts
 * everything that `Number()` accepts (`Infinity`, `0x10`, ` 5`) and skips `minimum` and `maximum` for values that are
 * not finite.
 */
export function convertQueryValues(schema: unknown, query: unknown): void {
  const { properties = {} } = schema as QuerySchema;
  const values = query as Record<string, unknown>;
  for (const [name, { type }] of Object.entries(properties)) {
    const text = values[name];
    if (typeof text !== "string") continue;
    if (type === "integer" && canonicalInteger.test(text)) values[name] = parseBoundedInteger(text);
    if (type === "boolean" && (text === "true" || text === "false")) values[name] = text === "true";
  }
}

/**
 * Parses an integer. One that is too large to be exact becomes the largest exact integer, which exceeds every maximum.
 */
function parseBoundedInteger(text: string): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
}

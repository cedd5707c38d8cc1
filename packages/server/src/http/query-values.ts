/** What of JSON Schema the query strings of the contract use. */
type QuerySchema = { properties?: Record<string, { type?: string | string[] }> };

/** A decimal integer in its one canonical spelling: no plus sign, leading zero, fraction, exponent, space or hex. */
const canonicalInteger = /^(?:0|-?[1-9]\d*)$/;

/**
 * Turns the text of query parameters into the type that the schema declares, in place. Text that is not a canonical
 * integer, `true` or `false` stays text, so that the schema check refuses it. Ajv's own coercion is not used because it
 * takes everything that `Number()` takes (`Infinity`, `0x10`, ` 5`) and then skips `minimum` and `maximum` for what is
 * not finite.
 */
export function readQueryValues(schema: unknown, query: unknown): void {
  const { properties = {} } = schema as QuerySchema;
  const values = query as Record<string, unknown>;
  for (const [name, { type }] of Object.entries(properties)) {
    const text = values[name];
    if (typeof text !== "string") continue;
    if (type === "integer" && canonicalInteger.test(text)) values[name] = boundedInteger(text);
    if (type === "boolean" && (text === "true" || text === "false")) values[name] = text === "true";
  }
}

/** An integer too large to be exact counts as the largest exact one: it exceeds every maximum all the same. */
function boundedInteger(text: string): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
}

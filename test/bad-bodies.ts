/** The part of JSON Schema that the contract's bodies use. */
export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
} & Partial<Record<"minLength" | "maxLength" | "minItems" | "maxItems" | "minimum" | "maximum", number>>;

/** A body with one changed value, and its path. */
export type Case = { path: string; body: unknown };

/** These types suffice, because a value of a wrong type that a schema accepts by mistake mostly has one of them. */
const samples = { string: "text", number: 1.5, object: {}, null: null };

/**
 * Yields bodies with one wrong value each, derived from the schema: other types, missing fields, and values just beyond
 * each limit.
 */
export function* wrongBodies(schema: Schema, valid: unknown): Generator<Case> {
  const types = typesOf(schema);
  for (const [type, body] of Object.entries(samples)) {
    // A schema without a type accepts every value.
    if (types.length > 0 && !types.includes(type)) yield { path: "", body };
  }
  for (const body of pastTheLimits(schema)) yield { path: "", body };
  for (const name of schema.required ?? []) {
    const { [name]: _, ...rest } = (valid ?? {}) as Record<string, unknown>;
    yield { path: name, body: rest };
  }
  yield* varyChildren(schema, valid, wrongBodies);
}

function* pastTheLimits(schema: Schema) {
  if (schema.enum) yield "other";
  if (schema.pattern) yield " ";
  if (schema.minLength) yield "";
  if (schema.maxLength !== undefined) yield* ["x".repeat(schema.maxLength + 1), "🚲".repeat(schema.maxLength + 1)];
  if (schema.minItems) yield [];
  if (schema.maxItems !== undefined) yield Array.from({ length: schema.maxItems + 1 }, () => "x");
  if (schema.minimum !== undefined) yield schema.minimum - 1;
  if (schema.maximum !== undefined) yield schema.maximum + 1;
}

/** Bodies with the longest allowed text in one place each: plain letters, and emoji, which count as one character. */
export function* longestTexts(schema: Schema, valid: unknown): Generator<Case> {
  const { maxLength, pattern } = schema;
  if (maxLength !== undefined && (!pattern || pattern === "\\S")) {
    yield* ["x", "🚲"].map((character) => ({ path: "", body: character.repeat(maxLength) }));
  }
  yield* varyChildren(schema, valid, longestTexts);
}

/** Bodies with `null` wherever the schema accepts it. */
export function* nulls(schema: Schema, valid: unknown): Generator<Case> {
  if (typesOf(schema).includes("null")) yield { path: "", body: null };
  yield* varyChildren(schema, valid, nulls);
}

/** Bodies with this text in place of one string each. */
export function* withText(text: string, schema: Schema, valid: unknown): Generator<Case> {
  if (typesOf(schema).includes("string")) yield { path: "", body: text };
  yield* varyChildren(schema, valid, (child, base) => withText(text, child, base));
}

const typesOf = ({ type }: Schema) => [type ?? []].flat();

function* varyChildren(schema: Schema, valid: unknown, make: (schema: Schema, valid: unknown) => Iterable<Case>) {
  const validFields = (valid ?? {}) as Record<string, unknown>;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    for (const { path, body } of make(child, validFields[name])) {
      yield { path: joinPath(name, path), body: { ...validFields, [name]: body } };
    }
  }
  if (schema.items)
    for (const { path, body } of make(schema.items, validFields[0])) yield { path: joinPath("0", path), body: [body] };
}

const joinPath = (name: string, path: string) => (path ? `${name}.${path}` : name);

const nest = (open: string, depth: number, close: string) => open.repeat(depth) + close.repeat(depth);

/** Bodies that are not JSON. */
export const brokenJson: readonly Buffer[] = [
  "{",
  "}",
  "[1,",
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":undefined}',
  "nul",
  '"\\u00zz"',
  '"\\x41"',
  "{} {}",
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":Infinity}',
  '{"a":"\0"}',
  '{"a":"line\nbreak"}',
  "\0",
  "// hi",
  " ",
  nest("[", 100_000, ""),
  `{"a":${'{"a":'.repeat(50_000)}`,
].map((text) => Buffer.from(text));

/** Bodies that are valid or nearly valid JSON but useless. Some are parts of an otherwise valid body. */
export function hostileJson(valid: object): Buffer[] {
  const within = (json: string) => JSON.stringify({ ...valid, userMetadata: "here" }).replace('"here"', () => json);
  const texts = [
    nest("[", 100, "]"),
    nest("[", 100_000, "]"),
    `${'{"a":'.repeat(100)}{}${"}".repeat(100)}`,
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"\\u005f_proto__":1}',
    `[${"0,".repeat(199_999)}0]`,
    `[${"[],".repeat(199_999)}[]]`,
    within(nest("[", 100_000, "]")),
    within('{"__proto__":1}'),
    within('{"a":{"constructor":{"prototype":1}}}'),
    within(`{"a":[${"0,".repeat(199_999)}0]}`),
    within('{"a\\u0000":1}'),
    within('{"a":["\\u0000"]}'),
  ];
  const invalidUtf8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x9a]].map((bytes) =>
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]),
  );
  return [...texts.map((text) => Buffer.from(text)), ...invalidUtf8];
}

/** Content types other than JSON. */
export const otherTypes: readonly string[] = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/xml",
  "application/jsonp",
  "application/vnd.api+json",
  "text/json",
  "garbage",
  "application/json-patch+json",
  ";",
];

/** Unknown ids, as they appear in a URL. */
export const oddIds: readonly string[] = [
  "agent_01h455vb4pex5vsknk084sn02q",
  "AGENT_01H455VB4PEX5VSKNK084SN02Q",
  "agent_",
  "conv_",
  "null",
  "undefined",
  "-1",
  "0",
  "*",
  "%00",
  "agent_%00",
  "%2F",
  "..%2f..%2fetc%2fpasswd",
  "'%20or%201=1--",
  "%F0%9F%9A%B2",
  "%0d%0aX:1",
  "__proto__",
  "constructor",
  "toString",
  "%5B%5D",
  "%",
  "%zz",
  "%E0%A4%A",
  "%c0%af",
  "%ff",
  "x".repeat(101),
  "x".repeat(5_000),
];

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../errors.ts";
import { checkInputSchema, inputProblem } from "./input-schema.ts";

/** The only detail of the 400, or null when the schema is accepted. Any other error fails the test. */
function problemOf(schema: unknown) {
  try {
    checkInputSchema(schema);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.status).toBe(400);
    expect(error.details).toHaveLength(1);
    return error.details?.[0] ?? null;
  }
}

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const text = { type: "string" };
const named = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value]));
const strings = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
const nested = (depth: number, wrap: (inner: unknown) => unknown) => {
  let inner: unknown = { type: "string" };
  for (let level = 0; level < depth; level++) inner = wrap(inner);
  return inner;
};
/** `{ a: { a: … } }` as nested properties, `depth` schemas below the root. */
const objects = (depth: number) => object({ a: nested(depth - 1, (a) => object({ a })) });

describe("checkInputSchema", () => {
  it.each<[string, unknown]>([
    ["no properties", { type: "object" }],
    ["empty properties", object({})],
    [
      "every type",
      object(
        Object.fromEntries("string number integer boolean array object".split(" ").map((type) => [type, { type }])),
      ),
    ],
    [
      "description, enum, required",
      object({ size: { ...text, description: "Size", enum: ["S", "M"] } }, { required: ["size"] }),
    ],
    ["an enum of all scalars", object({ a: { ...text, enum: ["a", 1, true, null] } })],
    [
      "further keywords",
      object(
        { a: { type: "array", items: { anyOf: [text, { type: "null" }] }, minItems: 1 } },
        { additionalProperties: false },
      ),
    ],
    [
      "its dialect, whatever it is",
      object({}, { $schema: "https://json-schema.org/draft/2020-12/schema", $comment: "x" }),
    ],
    ["unknown keywords and formats", object({ a: { ...text, format: "iban", "x-order": 3, widget: { kind: "y" } } })],
    [
      "properties with a keyword's name",
      object({ $ref: text, $id: text, $defs: { type: "object" }, definitions: text, enum: text, pattern: text }),
    ],
    [
      "names of keywords in data",
      object({ a: { type: "object", default: { $ref: "#", definitions: 1 }, const: { $id: "x" } } }),
    ],
    [
      "names that every object inherits",
      object({ constructor: text, prototype: text, toString: text }, { required: ["constructor"] }),
    ],
    ["a nested property without a type", object({ a: { type: "object", properties: { b: {}, c: true } } })],
    ["a list of types", object({ a: { type: ["string", "null"] }, b: { type: ["integer", "boolean"] } })],
    ["alternatives", object({ a: { anyOf: [text, { type: "null" }] }, b: { anyOf: [text, { type: "number" }] } })],
    ["allowed values without a type", object({ a: { enum: ["a", "b"] }, b: { const: 1 } })],
    [
      "references to its own parts",
      object(
        { a: { $ref: "#/$defs/A", description: "A" }, b: { $ref: "#/definitions/B~1C" } },
        {
          $defs: { A: object({ c: { $ref: "#/definitions/B~1C" } }) },
          definitions: { "B/C": { enum: [1] } },
        },
      ),
    ],
    ["12 levels", objects(12)],
    ["200 properties", object(named(200, text))],
    ["an enum of 500", object({ a: { ...text, enum: strings(500) } })],
    ["an enum value of 1,000 characters", object({ a: { ...text, enum: ["x".repeat(1_000)] } })],
    ["25 patterns", object(named(25, { ...text, pattern: "^a+$" }))],
    ["the largest counts", object({ a: { ...text, maxLength: Number.MAX_SAFE_INTEGER, minLength: 0 } })],
    ["a small step", object({ a: { type: "number", multipleOf: 0.001, minimum: -1e300 } })],
  ])("accepts %s", (_name, schema) => {
    expect(problemOf(schema)).toBeNull();
  });

  it.each<[string, unknown]>([
    ["inputSchema", null],
    ["inputSchema", "object"],
    ["inputSchema", [{ type: "object" }]],
    ["inputSchema.type", {}],
    ["inputSchema.type", { type: "array" }],
    ["inputSchema.type", { type: ["object"] }],
    ["inputSchema.properties", { type: "object", properties: [] }],
    ["inputSchema.properties", { type: "object", properties: null }],
    ["inputSchema.properties.a", object({ a: true })],
    ["inputSchema.properties.a", object({ a: [text] })],
    ["inputSchema.properties.a.type", object({ a: {} })],
    ["inputSchema.properties.a.type", object({ a: { type: "null" } })],
    ["inputSchema.properties.a.type", object({ a: { type: ["string", "date"] } })],
    ["inputSchema.properties.a.type", object({ a: { anyOf: [] } })],
    ["inputSchema", object({ a: { $ref: "#/$defs/B" } }, { $defs: {} })],
    ["inputSchema", object({ a: { $ref: "#/$defs/%" } }, { $defs: { "%": text } })],
    ["inputSchema", object({ a: { $ref: "#/definitions/%ff" } }, { definitions: { "%ff": text } })],
    ["inputSchema", object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: object({ a: { $ref: "#/$defs/A" } }) } })],
    ["inputSchema.properties.a.description", object({ a: { ...text, description: 5 } })],
    ["inputSchema.properties.a.enum", object({ a: { ...text, enum: [] } })],
    ["inputSchema.properties.a.enum", object({ a: { ...text, enum: "S" } })],
    ["inputSchema.properties.a.enum.1", object({ a: { ...text, enum: ["S", {}] } })],
    ["inputSchema.required", object({}, { required: "x" })],
    ["inputSchema.required.0", object({}, { required: [1] })],
    ["inputSchema.required.1", object({ a: text }, { required: ["a", "b"] })],
    ["inputSchema.required", object({ a: text }, { required: ["a", "a"] })],
    ["inputSchema.required.0", object({}, { required: ["toString"] })],
    ["inputSchema.properties.a.required", object({ a: { type: "object", required: "x" } })],
    ["inputSchema.properties.a.items", object({ a: { type: "array", items: 5 } })],
    ["inputSchema.properties.a.minimum", object({ a: { type: "number", minimum: "1" } })],
    ["inputSchema.properties.a.minimum", object({ a: { type: "number", minimum: Number.NaN } })],
    ["inputSchema.properties.a.minLength", object({ a: { ...text, minLength: -1 } })],
    ["inputSchema.properties.a.minLength", object({ a: { ...text, minLength: 1e308 } })],
    ["inputSchema.properties.a.maxLength", object({ a: { ...text, maxLength: 1.5 } })],
    ["inputSchema.properties.a.maxItems", object({ a: { type: "array", maxItems: Number.NaN } })],
    ["inputSchema.properties.a.multipleOf", object({ a: { type: "number", multipleOf: 1e-300 } })],
    ["inputSchema.properties.a.multipleOf", object({ a: { type: "number", multipleOf: 0 } })],
    ["inputSchema.properties.a.multipleOf", object({ a: { type: "number", multipleOf: -2 } })],
    ["inputSchema", object({ a: { ...text, id: "x" } })],
    ["inputSchema", object({ a: { ...text, nullable: 5 } })],
    ["inputSchema.x", object({}, { x: undefined })],
    ["inputSchema.x", object({}, { x: () => 1 })],
  ])("refuses at %s: %j", (path, schema) => {
    expect(problemOf(schema)?.path).toBe(path);
  });

  it.each(
    [
      "$ref",
      "$dynamicRef",
      "$recursiveRef",
      "$defs",
      "definitions",
      "$id",
      "$anchor",
      "$dynamicAnchor",
      "$async",
    ].flatMap((keyword): [string, unknown][] => [
      [`inputSchema.${keyword}`, object({}, { [keyword]: "#" })],
      [`inputSchema.properties.a.${keyword}`, object({ a: { ...text, [keyword]: true } })],
      [`inputSchema.properties.$ref.${keyword}`, object({ $ref: { ...text, [keyword]: "#" } })],
      [`inputSchema.properties.a.items.0.${keyword}`, object({ a: { type: "array", items: [{ [keyword]: {} }] } })],
      [`inputSchema.allOf.0.not.${keyword}`, object({}, { allOf: [{ not: { [keyword]: "#" } }] })],
      [`inputSchema.dependencies.a.${keyword}`, object({}, { dependencies: { a: { [keyword]: "#" } } })],
      [`inputSchema.x.y.${keyword}`, object({}, { x: { y: { [keyword]: "#" } } })],
    ]),
  )("refuses %s", (path, schema) => {
    expect(problemOf(schema)).toMatchObject({ path, message: expect.stringContaining("not supported") });
  });

  it.each(["properties", "patternProperties", "dependencies", "x", "default"])("refuses __proto__ in %s", (keyword) => {
    const schema = JSON.parse(`{ "type": "object", "${keyword}": { "__proto__": { "type": "string" } } }`);
    expect(problemOf(schema)).toMatchObject({
      path: `inputSchema.${keyword}.__proto__`,
      message: "is a name that cannot be used",
    });
  });

  it.each<[string, unknown]>([
    ["[", /not a regular expression/],
    ["(?=a)b", /lookahead/],
    ["(a)\\1", /back-reference/],
    ["a{1001}", /1,000 times/],
  ])("refuses the pattern %s, as a rule and as a name", (pattern, message) => {
    expect(problemOf(object({ a: { ...text, pattern } }))).toMatchObject({
      path: "inputSchema.properties.a.pattern",
      message: expect.stringMatching(message as RegExp),
    });
    expect(problemOf(object({}, { patternProperties: { [pattern]: text } }))).toMatchObject({
      path: "inputSchema.patternProperties",
      message: expect.stringMatching(message as RegExp),
    });
  });

  it.each<[string, unknown, RegExp]>([
    ["13 levels", objects(13), /deeper than 12/],
    ["201 properties", object(named(201, text)), /200 properties/],
    [
      "201 properties in two places",
      object({ a: object(named(100, text)), b: object(named(99, text)) }),
      /200 properties/,
    ],
    ["an enum of 501", object({ a: { ...text, enum: strings(501) } }), /at most 500/],
    ["a long enum value", object({ a: { ...text, enum: ["x".repeat(1_001)] } }), /1000 characters/],
    ["26 patterns", object(named(26, { ...text, pattern: "a" })), /25 patterns/],
    ["64 KB of ASCII", object({ a: { ...text, description: "x".repeat(65_536) } }), /65536/],
    ["64 KB in UTF-8", object({ a: { ...text, description: "é".repeat(33_000) } }), /65536 bytes/],
    ["64 KB in escapes", object({ a: { ...text, description: "\u0001".repeat(11_000) } }), /65536 bytes/],
    ["501 schemas", object({}, { anyOf: Array(501).fill({ minProperties: 0 }) }), /500 schemas/],
    ["a long name", object({ ["x".repeat(101)]: text }), /1 to 100 characters/],
    ["an empty name", object({ "": text }), /1 to 100 characters/],
    ["100,000 enum values", object({ a: { ...text, enum: strings(100_000) } }), /at most 500/],
    ["100,000 properties", object(named(100_000, text)), /200 properties|values/],
    ["100,000 required names", object({}, { required: strings(100_000) }), /values/],
    ["100,000 values in data", object({}, { default: strings(100_000) }), /values/],
    ["5,000 arrays of 5,000 values", object({}, { default: Array(4_990).fill(Array(4_990).fill(0)) }), /values/],
    ["10,000 schemas deep", object({ a: nested(10_000, (a) => object({ a })) }), /deeper than 12/],
    [
      "10,000 lists deep",
      object({ a: { type: "array", items: nested(10_000, (inner) => [inner]) } }),
      /deeper than 12/,
    ],
    ["10,000 deep in data", object({}, { default: nested(10_000, (inner) => ({ inner })) }), /deeper than 12/],
    ["10,000 deep in an unknown keyword", object({}, { x: nested(10_000, (y) => ({ y })) }), /deeper than 12/],
    ["a $ref loop", object({ a: { $ref: "#" } }), /not supported/],
    [
      "a $ref fan-out",
      object({ b: { $ref: "#/$defs/a" } }, { $defs: { a: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } } }),
      /within itself/,
    ],
  ])("refuses %s", (_name, schema, message) => {
    expect(problemOf(schema)?.message).toMatch(message);
  });

  it("refuses values that JSON cannot express", () => {
    expect(problemOf(object({}, { x: 1n }))).toMatchObject({ path: "inputSchema.x", message: "is not JSON" });
  });

  it("refuses a circular schema", () => {
    const schema = object({});
    Object.assign(schema.properties, { a: schema });
    expect(problemOf(schema)?.message).toMatch(/deeper than 12/);
  });

  it("takes no longer for a hostile list that is twice as long", () => {
    const readsOf = (length: number, wrap: (list: unknown[]) => unknown) => {
      let reads = 0;
      const list = new Proxy(strings(length), {
        get(target, key, receiver) {
          reads += 1;
          return Reflect.get(target, key, receiver);
        },
      });
      expect(problemOf(wrap(list))).not.toBeNull();
      return reads;
    };
    for (const keyword of ["enum", "required", "default", "allOf", "x"]) {
      const wrap = (list: unknown[]) => object({ a: { ...text, [keyword]: list } });
      expect(readsOf(50_000, wrap)).toBeLessThan(10);
      expect(readsOf(100_000, wrap)).toBe(readsOf(50_000, wrap));
    }
  });

  it("takes twice as long for a schema that is twice as large", () => {
    const readsOf = (count: number) => {
      let reads = 0;
      const counted = <T extends object>(value: T): T =>
        new Proxy(value, {
          get(target, key, receiver) {
            reads += 1;
            const item = Reflect.get(target, key, receiver);
            return typeof item === "object" && item !== null ? counted(item) : item;
          },
        });
      expect(problemOf(counted(object(named(count, { ...text, enum: ["a", "b"] }))))).toBeNull();
      return reads;
    };
    const [small, large] = [readsOf(50), readsOf(100)];
    expect(large / small).toBeGreaterThan(1.5);
    expect(large / small).toBeLessThan(2.1);
  });
});

const problem = (schema: unknown, input: unknown) => {
  checkInputSchema(schema);
  return inputProblem(JSON.stringify(schema), input);
};

describe("inputProblem", () => {
  const order = object(
    {
      quantity: { type: "number" },
      size: { ...text, enum: ["S", "M"] },
      tags: { type: "array", items: text, uniqueItems: true },
    },
    { required: ["quantity", "size"], additionalProperties: false },
  );

  it.each<[unknown, string | null]>([
    [{ quantity: 1, size: "S" }, null],
    [{ quantity: 1.5, size: "M", tags: ["a", "b"] }, null],
    [{ quantity: "1", size: "S" }, "quantity must be number"],
    [{ quantity: "x" }, "size is required; quantity must be number"],
    [{ quantity: 1, size: "XL" }, "size must be one of S, M"],
    [{ quantity: 1, size: "S", color: "red" }, "color is not a known property"],
    [{ quantity: 1, size: "S", tags: ["a", 2] }, "tags.1 must be string"],
    [{ quantity: 1, size: "S", tags: ["a", "a"] }, "tags must not contain duplicate items"],
    [{}, "quantity is required; size is required"],
    [null, "the input must be object"],
    [undefined, "the input must be object"],
    ["{}", "the input must be object"],
    [[], "the input must be object"],
  ])("reports for %j: %s", (input, words) => {
    expect(problem(order, input)).toBe(words);
  });

  it("refuses NaN and infinite numbers", () => {
    expect(problem(order, { quantity: Number.NaN, size: "S" })).toBe("quantity must be number");
  });

  it("keeps two patterns apart and finds each anywhere in the value", () => {
    const schema = object({ a: { ...text, pattern: "^x" }, b: { ...text, pattern: "y" } });
    expect(problem(schema, { a: "x", b: "ay" })).toBeNull();
    expect(problem(schema, { a: "yx", b: "ay" })).toMatch(/^a must match/);
    expect(problem(schema, { a: "x", b: "x" })).toMatch(/^b must match/);
  });

  it("matches the names of properties by pattern", () => {
    const schema = object({}, { patternProperties: { "^n_": { type: "number" } }, additionalProperties: false });
    expect(problem(schema, { n_a: 1 })).toBeNull();
    expect(problem(schema, { n_a: "x" })).toBe("n_a must be number");
    expect(problem(schema, { x: 1 })).toBe("x is not a known property");
  });

  it("responds quickly where V8 would backtrack forever", () => {
    const schema = object({ a: { ...text, pattern: "^(a+)+$" } });
    expect(problem(schema, { a: `${"a".repeat(100_000)}!` })).toMatch(/^a must match/);
  });

  it("compares decimal multiples exactly", () => {
    const schema = object({ price: { type: "number", multipleOf: 0.01 } });
    expect(problem(schema, { price: 19.99 })).toBeNull();
    expect(problem(schema, { price: 19.995 })).toBe("price must be multiple of 0.01");
  });

  it("detects duplicate items regardless of key order", () => {
    const schema = object({ a: { type: "array", uniqueItems: true } });
    expect(
      problem(schema, {
        a: [
          { x: 1, y: [2] },
          { y: [2], x: 1 },
        ],
      }),
    ).toBe("a must not contain duplicate items");
    expect(problem(schema, { a: [{ x: 1 }, { x: "1" }, 1, "1", [1], null] })).toBeNull();
    expect(problem(schema, { a: Array.from({ length: 4_900 }, (_, index) => [index]) })).toBeNull();
  });

  it("ignores formats, defaults and unknown keywords", () => {
    const schema = object({ a: { ...text, format: "email", default: "x", "x-y": 1 } });
    const input = {};
    expect(problem(schema, input)).toBeNull();
    expect(input).toEqual({});
    expect(problem(schema, { a: "no mail" })).toBeNull();
  });

  it("looks at own properties only", () => {
    const schema = object({ constructor: text, toString: text }, { required: ["constructor"] });
    expect(problem(schema, {})).toBe("constructor is required");
    expect(problem(schema, JSON.parse('{"constructor":"x"}'))).toBeNull();
    expect(problem(schema, JSON.parse('{"constructor":1}'))).toBe("constructor must be string");
    const closed = object({}, { additionalProperties: false });
    expect(problem(closed, JSON.parse('{"__proto__":1}'))).toBe("__proto__ is not a known property");
  });

  it.each<[string, unknown]>([
    ["deep", { a: nested(40, (inner) => [inner]) }],
    ["10,000 deep", { a: nested(10_000, (inner) => [inner]) }],
    ["wide", { a: strings(10_001) }],
    ["square", { a: Array(5_000).fill(Array(5_000).fill(0)) }],
    ["long", { a: "x".repeat(200_001) }],
  ])("refuses an input that is too %s", (_name, input) => {
    expect(problem({ type: "object" }, input)).toMatch(/^the input (is nested deeper|has more) than/);
  });

  it("reports the first error of a large input and a few errors of a small one", () => {
    const schema = object({ a: { type: "array", items: text } });
    expect(problem(schema, { a: Array(8_000).fill(1) })).toBe("a.0 must be string");
    expect(problem(schema, { a: Array(100).fill(1) })?.split("; ")).toHaveLength(5);
  });

  it("never runs a stored schema that is no longer valid", () => {
    for (const stored of ['{"type":"object","$async":true}', '{"type":"string"}', "not json", "", "null"]) {
      expect(inputProblem(stored, {})).toMatch(/^the tool's own input schema is not valid/);
    }
    expect(inputProblem('{ "type": "object" }', {})).toBeNull();
  });
});

const keyword = fc.constantFrom(
  ..."type properties required enum items anyOf allOf not if then const pattern patternProperties minLength".split(" "),
  ..."maximum multipleOf uniqueItems additionalProperties dependencies $ref $id $schema $async nullable id".split(" "),
  ..."description default contains propertyNames discriminator a constructor".split(" "),
);
const scalar = fc.oneof(
  fc.constantFrom<unknown>("object", "string", "array", "number", "a", "^a", "(", null, true, 0, -1, 1, 1e308, 1e-300),
  fc.double(),
);
const { schemaLike } = fc.letrec((tie) => ({
  schemaLike: fc.oneof(
    { maxDepth: 5 },
    scalar,
    fc.dictionary(keyword, tie("schemaLike"), { maxKeys: 5 }),
    fc.array(tie("schemaLike"), { maxLength: 3 }),
  ),
}));
/** Mostly valid, so that many schemas reach Ajv. */
const property = fc
  .tuple(
    fc.constantFrom("string", "number", "integer", "boolean", "array", "object"),
    fc.dictionary(keyword, schemaLike, { maxKeys: 2 }),
  )
  .map(([type, more]) => ({ ...more, type }));
const nearSchema = fc
  .tuple(
    fc.dictionary(fc.string({ maxLength: 5 }), property, { maxKeys: 3 }),
    fc.dictionary(keyword, schemaLike, { maxKeys: 1 }),
  )
  .map(([properties, more]) => ({ ...more, ...object(properties) }));

describe("any JSON value", () => {
  it("is refused with an AppError or accepted, and then validates any input without throwing", () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), schemaLike, nearSchema),
        fc.array(fc.oneof(fc.jsonValue(), schemaLike)),
        (schema, inputs) => {
          if (problemOf(schema)) return;
          taken += 1;
          const names = Object.keys((schema as { properties?: object }).properties ?? {});
          const asProperties = names.map((name, index) => ({ [name]: inputs[index % inputs.length] }));
          for (const input of [...inputs, ...asProperties]) {
            const words = inputProblem(JSON.stringify(schema), input);
            expect(words ?? "fine").toMatch(/^(?!the tool's own).+/);
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(100);
  });
});

describe("a schema with references", () => {
  const schema = JSON.stringify(
    object(
      {
        colour: { $ref: "#/$defs/Colour" },
        size: { type: ["integer", "null"] },
        n: { anyOf: [text, { type: "number" }] },
      },
      {
        $defs: { Colour: { type: "string", enum: ["red"] } },
      },
    ),
  );
  it.each<[unknown, string | null]>([
    [{ colour: "red", size: null, n: 1 }, null],
    [{ colour: "blue" }, "colour"],
    [{ size: "large" }, "size"],
    [{ n: true }, "n"],
  ])("is checked like any other: %j", (input, problem) => {
    const found = inputProblem(schema, input);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });

  it("is refused when its parts multiply", () => {
    const parts = Array.from({ length: 20 }, (_, i) => [
      `P${i}`,
      object({ a: { $ref: `#/$defs/P${i + 1}` }, b: { $ref: `#/$defs/P${i + 1}` } }),
    ]);
    const $defs = { ...Object.fromEntries(parts), P20: text };
    expect(problemOf(object({ a: { $ref: "#/$defs/P0" } }, { $defs }))?.path).toBe("inputSchema");
  });
});

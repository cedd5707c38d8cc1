import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findEventDataProblem, matchEvent } from "./match-event.ts";

const cart = {
  total: 120,
  currency: "EUR",
  coupon: null,
  isGift: false,
  tags: ["sale", "new"],
  items: [
    { sku: "A-1", price: 20 },
    { sku: "B-2", price: 100, sizes: ["S", "M"] },
  ],
  shipping: { country: "DE", address: { city: "Köln" } },
  orderedAt: "2026-03-01T10:00:00Z",
  rows: [[1, 2], [3]],
  none: [],
};
/** Matches against the cart, or against other event data if it is passed, even `undefined`. */
const fits = (eventData: object | null, ...data: unknown[]) =>
  matchEvent({ event: "checkout", eventData }, "checkout", data.length > 0 ? data[0] : cart);

const size = "must have at most 200 values and 10000 characters in total";

describe("matchEvent", () => {
  it.each([
    ["the same name", { event: "checkout" }, true],
    ["no conditions", { event: "checkout", eventData: {} }, true],
    ["conditions that were cleared", { event: "checkout", eventData: null }, true],
    ["another case", { event: "Checkout" }, false],
    ["a name that only begins so", { event: "check" }, false],
    ["another name with conditions that hold", { event: "cart", eventData: { total: 120 } }, false],
  ])("%s", (_name, conditions, expected) => {
    expect(matchEvent(conditions, "checkout", cart)).toBe(expected);
    expect(matchEvent(conditions, "checkout", undefined)).toBe(expected);
  });

  it.each([
    [{ total: 120 }, true],
    [{ total: "120" }, false],
    [{ total: 121 }, false],
    [{ isGift: false }, true],
    [{ isGift: 0 }, false],
    [{ total: 120, currency: "EUR" }, true],
    [{ total: 120, currency: "USD" }, false],
    [{ coupon: null }, true],
    [{ missing: null }, true],
    [{ total: null }, false],
    [{ missing: "x" }, false],
    [{ tags: "sale" }, true],
    [{ tags: "sal" }, false],
    [{ tags: ["sale", "new"] }, true],
    [{ tags: ["new", "sale"] }, false],
    [{ rows: [3] }, true],
    [{ rows: 3 }, false],
    [{ none: [] }, true],
  ])("compares a value: %j is %j", (eventData, expected) => {
    expect(fits(eventData)).toBe(expected);
    const spelledOut = Object.fromEntries(Object.entries(eventData).map(([key, value]) => [key, { $eq: value }]));
    expect(fits(spelledOut)).toBe(expected);
  });

  it.each([
    [{ "shipping.country": "DE" }, true],
    [{ "shipping.address.city": "Köln" }, true],
    [{ shipping: { country: "DE" } }, true],
    [{ shipping: { address: { city: "Köln" }, country: "DE" } }, true],
    [{ shipping: { "address.city": { $contains: "öl" } } }, true],
    [{ shipping: { country: "DE", zip: "1" } }, false],
    [{ shipping: { $eq: { country: "DE" } } }, false],
    [{ shipping: { $eq: { address: { city: "Köln" }, country: "DE" } } }, true],
    [{ "shipping.country.code": "DE" }, false],
    [{ "items.0.sku": "A-1" }, true],
    [{ "items.1.sku": "A-1" }, false],
    [{ "items.2.sku": { $exists: false } }, true],
    [{ "items.sku": "B-2" }, true],
    [{ "items.sku": "C-3" }, false],
    [{ "items.sku": { $ne: "A-1" } }, false],
    [{ "items.sku": { $ne: "C-3" } }, true],
    [{ "items.price": { $gt: 50 } }, true],
    [{ "items.price": { $gt: 100 } }, false],
    [{ "items.sizes": "M" }, true],
    [{ "items.sizes.0": "S" }, true],
    [{ "items.sizes": null }, true],
    [{ "items.sku": { $contains: "B-" } }, true],
    [{ items: { price: { $lt: 50 } } }, true],
    [{ items: { $contains: { price: 20, sku: "A-1" } } }, true],
    [{ items: { $contains: { sku: "A-1" } } }, false],
    [{ "tags.1": "new" }, true],
    [{ "tags.length": { $exists: true } }, false],
    [{ "currency.length": { $exists: true } }, false],
    [{ "currency.0": "E" }, false],
    [{ "rows.0": 2 }, true],
  ])("follows a path: %j is %j", (eventData, expected) => expect(fits(eventData)).toBe(expected));

  it.each([
    [{ total: { $gt: 100 } }, true],
    [{ total: { $gt: 120 } }, false],
    [{ total: { $gte: 120 } }, true],
    [{ total: { $gte: 121 } }, false],
    [{ total: { $lt: 121 } }, true],
    [{ total: { $lt: 120 } }, false],
    [{ total: { $lte: 120 } }, true],
    [{ total: { $lte: 119 } }, false],
    [{ total: { $gt: 100, $lt: 200 } }, true],
    [{ total: { $gt: 100, $lt: 110 } }, false],
    [{ total: { $gt: "100" } }, false],
    [{ currency: { $gt: 0 } }, false],
    [{ currency: { $gt: "EU" } }, true],
    [{ currency: { $lt: "USD" } }, true],
    [{ isGift: { $lte: 0 } }, false],
    [{ coupon: { $lt: 1 } }, false],
    [{ missing: { $lt: 1 } }, false],
    [{ missing: { $gte: "" } }, false],
    [{ tags: { $gt: "r" } }, true],
    [{ orderedAt: { $gte: "2026-03-01" } }, true],
    [{ orderedAt: { $lt: "2026-03-01T09:59:59Z" } }, false],
    [{ total: { $ne: 120 } }, false],
    [{ total: { $ne: 1 } }, true],
    [{ missing: { $ne: 1 } }, true],
    [{ missing: { $ne: null } }, false],
    [{ tags: { $ne: "sale" } }, false],
    [{ currency: { $in: ["USD", "EUR"] } }, true],
    [{ currency: { $in: ["USD"] } }, false],
    [{ tags: { $in: ["old", "new"] } }, true],
    [{ missing: { $in: [1, null] } }, true],
    [{ missing: { $in: [1] } }, false],
    [{ currency: { $nin: ["USD"] } }, true],
    [{ currency: { $nin: ["USD", "EUR"] } }, false],
    [{ missing: { $nin: [1] } }, true],
    [{ tags: { $nin: ["sale"] } }, false],
    [{ coupon: { $exists: true } }, true],
    [{ coupon: { $exists: false } }, false],
    [{ missing: { $exists: false } }, true],
    [{ missing: { $exists: true } }, false],
    [{ none: { $exists: true } }, true],
    [{ currency: { $contains: "U" } }, true],
    [{ currency: { $contains: "u" } }, false],
    [{ tags: { $contains: "sale" } }, true],
    [{ tags: { $contains: "sal" } }, false],
    [{ rows: { $contains: [3] } }, true],
    [{ total: { $contains: 2 } }, false],
    [{ total: { $contains: "2" } }, false],
    [{ missing: { $contains: "" } }, false],
    [{ none: { $contains: null } }, false],
  ])("applies operators: %j is %j", (eventData, expected) => expect(fits(eventData)).toBe(expected));

  it.each([undefined, null, "text", 5, true, [], {}])("finds no fields in data that is %j", (data) => {
    expect(fits({ total: { $exists: true } }, data)).toBe(false);
    expect(fits({ total: { $ne: 1 } }, data)).toBe(true);
    expect(fits({ "total.sum": { $nin: [1] } }, data)).toBe(true);
  });
});

describe("findEventDataProblem", () => {
  const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  it.each<[unknown, string]>([
    [{ total: { $where: "true" } }, "total.$where must be one of $eq, $ne, "],
    [{ name: { $regex: "a" } }, "name.$regex must be one of"],
    [{ total: { $not: { $gt: 1 } } }, "total.$not must be one of"],
    [{ total: { $gt: 1, max: 2 } }, "total.max must be one of"],
    [{ total: { $toString: 1 } }, "total.$toString must be one of"],
    [{ total: { $gt: 1, toString: 2 } }, "total.toString must be one of"],
    [{ $or: [{ total: 1 }] }, "$or must be directly under the name of a field"],
    [{ $gt: 5 }, "$gt must be directly under"],
    [{ "total.$gt": 5 }, "total.$gt must be directly under"],
    [{ total: { $in: [{ $gt: 5 }] } }, "total.$in.0.$gt must be directly under"],
    [{ total: { $eq: { $gt: 5 } } }, "total.$eq.$gt must be directly under"],
    [{ tags: [{ $where: "1" }] }, "tags.0.$where must be directly under"],
    [{ total: { $gt: null } }, "total.$gt must be a number or text"],
    [{ cart: { total: { $lte: [1] } } }, "cart.total.$lte must be a number or text"],
    [{ total: { $in: 5 } }, "total.$in must be a non-empty list"],
    [{ total: { $nin: [] } }, "total.$nin must be a non-empty list"],
    [{ total: { $exists: 1 } }, "total.$exists must be true or false"],
    [{ cart: {} }, "cart must not be an empty object"],
    [{ "a..b": 1 }, "a..b is a name that cannot be used"],
    [{ "": 1 }, "is a name that cannot be used"],
    [JSON.parse('{"__proto__":{"x":1}}'), "__proto__ is a name that cannot be used"],
    [{ "a.__proto__.x": 1 }, "a.__proto__.x is a name that cannot be used"],
    [{ a: { constructor: { name: "Object" } } }, "a.constructor is a name that cannot be used"],
    [{ "a.prototype": { $exists: false } }, "a.prototype is a name that cannot be used"],
    [{ a: { $eq: JSON.parse('{"__proto__":1}') } }, "a.$eq.__proto__ is a name that cannot be used"],
    [nested(11), "a.a.a.a.a.a.a.a.a.a.a is nested deeper than 10 levels"],
    [{ "a.a.a.a.a.a.a.a.a.a.a": 1 }, "is nested deeper than 10 levels"],
    [nested(150), "is nested deeper than 10 levels"],
    ["text", "must be an object"],
    [[{ total: 1 }], "must be an object"],
    [5, "must be an object"],
  ])("refuses conditions that never match, %j: %s", (eventData, problem) => {
    expect(findEventDataProblem(eventData)).toContain(problem);
    const open = { a: 1, total: 6, cart: {}, name: "a", tags: [{ $where: "1" }], "": 1 };
    for (const data of [open, {}, undefined]) expect(fits(eventData as object, data)).toBe(false);
  });

  it.each<[string, unknown, string | null]>([
    ["200 fields", Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, 1])), null],
    ["201 fields", Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, 1])), size],
    ["the longest list", { a: { $in: Array(198).fill(1) } }, null],
    ["a longer list", { a: { $in: Array(199).fill(1) } }, size],
    ["the longest text", { a: "x".repeat(9_999) }, null],
    ["a longer text", { a: "x".repeat(10_000) }, size],
    ["a longer name", { ["x".repeat(10_001)]: 1 }, size],
    ["a name of nothing but dots", { [".".repeat(1_000_000)]: 1 }, size],
    ["a very deep list", JSON.parse("[".repeat(5_000) + "]".repeat(5_000)), size],
  ])("limits the size of conditions: %s", (_name, eventData, problem) =>
    expect(findEventDataProblem(eventData)).toBe(problem),
  );

  it("visits circular references once", () => {
    const circle: Record<string, unknown> = {};
    circle.a = circle;
    expect(findEventDataProblem(circle)).toBe(size);
    expect(fits(circle)).toBe(false);
    expect(fits({ "a.a.a": { $exists: true } }, circle)).toBe(true);
    const wide: { a: unknown[] } = { a: [] };
    wide.a = Array(1_000).fill(wide);
    expect(fits({ "a.a.a.a.a.a.a.a.a.b": 1 }, wide)).toBe(false);
  });

  it.each<[string, object]>([
    ["list", Array(10_000).fill(1)],
    ["object", Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1]))],
  ])("refuses a very large %s without reading its contents", (_name, large) => {
    let reads = 0;
    const watched = new Proxy(large, {
      get(target, name) {
        if (name !== "length") reads++;
        return Reflect.get(target, name);
      },
    });
    expect(findEventDataProblem({ a: watched })).toBe(size);
    expect(reads).toBe(0);
  });

  it("shortens a long path in the message", () => {
    expect(findEventDataProblem({ ["x".repeat(5_000)]: { $gt: true } })?.length).toBeLessThan(300);
  });

  it.each([undefined, null, {}])("accepts empty conditions: %j", (none) =>
    expect(findEventDataProblem(none)).toBeNull(),
  );

  it("ignores inherited properties", () => {
    const heir = Object.create({ total: 120 });
    expect(fits({ total: 120 }, heir)).toBe(false);
    expect(fits({ total: { $exists: true } }, heir)).toBe(false);
    expect(fits({ toString: { $exists: true } }, {})).toBe(false);
    expect(fits({ "tags.map": { $exists: true } })).toBe(false);
    expect(fits({ a: { $eq: { toString: null } } }, { a: { x: 1 } })).toBe(false);
  });
});

const field = fc.constantFrom("a", "b", "a.b", "a.0", "a.b.0", "0");
const leaf = fc.oneof(fc.constantFrom(null, true, 0, 1, 2, "", "a", "ab"), fc.jsonValue({ maxDepth: 1 }));
const { tree: data } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "0"), tie("tree"), { maxKeys: 3 }),
  ),
}));
const operator = fc.constantFrom("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$contains");

describe("matchEvent, for any data,", () => {
  it("treats $ne as the opposite of $eq, $nin of $in, and $exists of itself", () => {
    const runs = { $eq: 0, $in: 0 };
    fc.assert(
      fc.property(field, leaf, fc.array(leaf, { minLength: 1, maxLength: 4 }), data, (name, value, values, event) => {
        const accepts = (tests: object) => fits({ [name]: tests }, event);
        fc.pre(findEventDataProblem({ [name]: { $eq: value, $in: values } }) === null);
        expect(accepts({ $ne: value })).toBe(!accepts({ $eq: value }));
        expect(accepts({ $nin: values })).toBe(!accepts({ $in: values }));
        expect(accepts({ $exists: false })).toBe(!accepts({ $exists: true }));
        expect(accepts({ $in: values })).toBe(values.some((item) => accepts({ $eq: item })));
        if (accepts({ $eq: value })) runs.$eq++;
        if (accepts({ $in: values })) runs.$in++;
      }),
      { numRuns: 500 },
    );
    expect(Math.min(runs.$eq, runs.$in)).toBeGreaterThan(20);
  });

  it("requires all operators and all fields to match", () => {
    const test = fc.tuple(operator, fc.oneof(leaf, fc.array(leaf, { minLength: 1 }), fc.boolean()));
    fc.assert(
      fc.property(field, fc.array(test, { minLength: 1, maxLength: 3 }), data, (name, tests, event) => {
        const all = Object.fromEntries(tests);
        fc.pre(findEventDataProblem({ [name]: all }) === null);
        const each = Object.entries(all).every(([key, operand]) => fits({ [name]: { [key]: operand } }, event));
        expect(fits({ [name]: all }, event)).toBe(each);
        const other = { [name === "b" ? "a" : "b"]: { $exists: true } };
        expect(fits({ [name]: all, ...other }, event)).toBe(each && fits(other, event));
      }),
      { numRuns: 500 },
    );
  });

  it("treats a nested object like dots", () => {
    fc.assert(
      fc.property(operator, leaf, data, (key, operand, event) => {
        const test = { [key]: operand };
        expect(fits({ a: { b: test } }, event)).toBe(fits({ "a.b": test }, event));
      }),
    );
  });

  it("never throws, and does not match refused conditions", () => {
    const key = fc.oneof(operator, field, fc.constantFrom("$where", "__proto__", "constructor", "a..b"), fc.string());
    const { tree: anything } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc
          .array(fc.tuple(key, tie("tree")), { maxLength: 3 })
          .map((entries) =>
            JSON.parse(
              `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
            ),
          ),
      ),
    }));
    fc.assert(
      fc.property(anything, anything, (eventData, event) => {
        const problem = findEventDataProblem(eventData);
        const isMatch = fits(eventData as object, event);
        expect(problem !== null && problem !== size && isMatch).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

it("reads each value of a field a fixed number of times per comparison", () => {
  const reads = (members: number, values: number) => {
    let count = 0;
    const items = new Proxy(Array(members).fill("x"), {
      get: (target, key) => {
        count++;
        return Reflect.get(target, key);
      },
    });
    const list = Array.from({ length: values }, (_, index) => index);
    expect(fits({ "cart.items": { $nin: list, $ne: "y" } }, { cart: { items } })).toBe(true);
    return count;
  };
  expect(reads(2_000, 10)).toBeLessThan(2.1 * reads(1_000, 10));
  expect(reads(1_000, 100)).toBeLessThan(10.5 * reads(1_000, 10));
});

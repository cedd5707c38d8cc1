import { findEventDataProblem, matchEvent } from "@foyer/contract/rules/match-event";
import fc from "fast-check";
import { expect, it } from "vitest";
import { describeRow, operators, readRows, writeRows } from "./event-conditions.ts";

const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("5", "true", "null", " a ", "a,b", '"q"'),
);
const name = fc.stringMatching(/^[a-z]{1,4}$/);
const test = fc.oneof(
  fc.record({ $gte: fc.integer(), $lt: fc.string() }),
  fc.record({ $in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $ne: scalar }),
  fc.record({ $eq: fc.record({ a: scalar }) }),
  fc.record({ $contains: scalar }),
);
const eventData = fc.dictionary(
  name,
  fc.oneof(
    scalar,
    test,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(name, fc.oneof(scalar, test), { minKeys: 1 }),
  ),
  { minKeys: 1, noNullPrototype: true },
);

it("conditions keep their meaning when they are converted to rows and back", () => {
  const data = fc.dictionary(name, fc.oneof(scalar, fc.dictionary(name, scalar)), { noNullPrototype: true });
  fc.assert(
    fc.property(eventData, data, (wanted, given) => {
      fc.pre(findEventDataProblem(wanted) === null);
      const written = writeRows(readRows(wanted));
      expect(readRows(written)).toEqual(readRows(wanted));
      expect(findEventDataProblem(written)).toBe(null);
      expect(matchEvent({ event: "e", eventData: written }, "e", given)).toBe(
        matchEvent({ event: "e", eventData: wanted }, "e", given),
      );
    }),
    { numRuns: 500 },
  );
});

it("values typed into a condition are read as numbers, booleans or text", () => {
  expect(
    writeRows([
      { path: "total", operator: "$gte", value: "500" },
      { path: "total", operator: "$lt", value: "1000" },
      { path: " cart.currency ", operator: "$in", value: "EUR, CHF" },
      { path: "zip", operator: "$eq", value: '"8004"' },
      { path: "name", operator: "$eq", value: "Tender 2" },
      { path: "coupon", operator: "$exists", value: "false" },
      { path: "", operator: "$eq", value: "not filled in yet" },
    ]),
  ).toEqual({
    total: { $gte: 500, $lt: 1000 },
    "cart.currency": { $in: ["EUR", "CHF"] },
    zip: "8004",
    name: "Tender 2",
    coupon: { $exists: false },
  });
  expect(writeRows([])).toBe(null);
  expect(
    operators.map(({ value }) =>
      findEventDataProblem({ a: { [value]: value.endsWith("in") ? [1] : value === "$exists" ? true : 1 } }),
    ),
  ).toEqual(operators.map(() => null));
  expect(readRows({ cart: { total: { $gte: 5 } }, ok: { $exists: true } }).map(describeRow)).toEqual([
    "cart.total is at least 5",
    "ok exists",
  ]);
});

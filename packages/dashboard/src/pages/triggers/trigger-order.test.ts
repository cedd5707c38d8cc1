import fc from "fast-check";
import { expect, it } from "vitest";
import { changesForOrder } from "./trigger-order.ts";

type Placed = { id: string; priority: number };

/** The triggers as the server orders them. */
const listed = (triggers: readonly Placed[]) =>
  triggers.toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
const after = (wanted: readonly Placed[]) => {
  const changes = new Map(changesForOrder(wanted).map(({ id, priority }) => [id, priority]));
  return wanted.map(({ id, priority }) => ({ id, priority: changes.get(id) ?? priority }));
};
const row = (...priorities: number[]) => priorities.map((priority, at) => ({ id: `t${at}`, priority }));
const placed = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    priority: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ min: -9, max: 9, noNaN: true })),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
);

it("changesForOrder produces any requested order", () => {
  fc.assert(
    fc.property(placed, (wanted) => {
      expect(listed(after(wanted)).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    }),
  );
});

it("changesForOrder changes nothing when the order is already correct", () => {
  fc.assert(
    fc.property(placed, (triggers) => {
      expect(changesForOrder(listed(triggers))).toEqual([]);
    }),
  );
});

it("changesForOrder moves one trigger with one change if there is room", () => {
  const [a, b, c, d] = row(0, 10, 20, 30) as [Placed, Placed, Placed, Placed];
  expect(changesForOrder([d, a, b, c])).toEqual([{ id: "t3", priority: -1 }]);
  expect(changesForOrder([b, c, d, a])).toEqual([{ id: "t0", priority: 31 }]);
  expect(changesForOrder([a, c, b, d])).toHaveLength(1);
});

it("changesForOrder renumbers triggers that all have the default priority", () => {
  const [a, b, c, d] = row(0, 0, 0, 0) as [Placed, Placed, Placed, Placed];
  expect(changesForOrder([d, a, b, c])).toEqual([{ id: "t3", priority: -1 }]);
  expect(changesForOrder([a, b, d, c])).toEqual([{ id: "t2", priority: 1 }]);
  expect(changesForOrder([b, a, c, d])).toHaveLength(1);
});

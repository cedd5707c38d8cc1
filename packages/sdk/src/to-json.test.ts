import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { toJson } from "./to-json.ts";

const prototypes = [Object.prototype, Array.prototype] as Array<{ toJSON?: unknown }>;

afterEach(() => {
  for (const prototype of prototypes) delete prototype.toJSON;
});

it("toJson writes what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true }), (value) => {
      expect(toJson(value)).toBe(JSON.stringify(value));
    }),
  );
  const price = { toJSON: () => "12.50" };
  const samples = [{ price, none: undefined, run: () => 1 }, [undefined, Number.NaN], new URL("https://a.example/")];
  expect(samples.map((sample) => toJson(sample))).toEqual(samples.map((sample) => JSON.stringify(sample)));
});

it("toJson ignores a toJSON method that the page gave to every array and object", () => {
  for (const prototype of prototypes) {
    Object.defineProperty(prototype, "toJSON", { value: () => "broken", configurable: true });
  }
  expect(toJson({ list: [1, { a: "b" }], at: new Date(0) })).toBe(
    '{"list":[1,{"a":"b"}],"at":"1970-01-01T00:00:00.000Z"}',
  );
});

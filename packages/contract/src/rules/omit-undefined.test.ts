import { expect, it } from "vitest";
import { omitUndefined } from "./omit-undefined.ts";

it("removes only the properties of an object that are undefined", () => {
  const from: string | undefined = undefined;
  const filter: { from?: string; to?: string; limit: number } = omitUndefined({ from, to: "2026-01-31", limit: 0 });
  expect(Object.entries(filter)).toEqual([
    ["to", "2026-01-31"],
    ["limit", 0],
  ]);
  expect(omitUndefined({ a: null, b: "", c: false })).toEqual({ a: null, b: "", c: false });
});

import { expect, it } from "vitest";
import { firstIdAt, isId, newId } from "./ids.ts";

it("the first id of an instant sorts between earlier and later ids", () => {
  const before = Date.now();
  const id = newId("conv");
  const after = Date.now() + 1;
  expect(firstIdAt("conv", before) <= id).toBe(true);
  expect(firstIdAt("conv", after) > id).toBe(true);
  expect(isId("conv", firstIdAt("conv", before))).toBe(true);
  expect(firstIdAt("conv", 0)).toBe(`conv_${"0".repeat(26)}`);
});

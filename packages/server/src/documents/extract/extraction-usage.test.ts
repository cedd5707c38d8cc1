import { expect, it } from "vitest";
import { createExtractionUsage } from "./extraction-usage.ts";

it("an organization is heavy once its files took two minutes, until enough of them are forgotten", async () => {
  let time = 0;
  const usage = createExtractionUsage(() => time);
  const read = (ms: number) =>
    usage.measure("org_slow", async () => {
      time += ms;
    });
  await read(60_000);
  expect(usage.isHeavy("org_slow")).toBe(false);
  await read(65_000);
  expect([usage.isHeavy("org_slow"), usage.isHeavy("org_other")]).toEqual([true, false]);
  time += 3_600_000;
  expect(usage.isHeavy("org_slow")).toBe(false);
});

it("a file that fails counts as well", async () => {
  let time = 0;
  const usage = createExtractionUsage(() => time);
  const fail = usage.measure("org_slow", async () => {
    time += 120_000;
    throw new Error("too slow");
  });
  await expect(fail).rejects.toThrow("too slow");
  expect(usage.isHeavy("org_slow")).toBe(true);
});

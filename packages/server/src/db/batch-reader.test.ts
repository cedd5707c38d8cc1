import { expect, it } from "vitest";
import { createBatchReader } from "./batch-reader.ts";

it("a batch reader combines concurrent reads into one query, each key once", async () => {
  const asked: string[][] = [];
  const read = createBatchReader(async (keys) => {
    asked.push(keys);
    return new Map(keys.filter((key) => key !== "none").map((key) => [key, `value of ${key}`]));
  });
  expect(await Promise.all([read("a"), read("b"), read("a"), read("none")])).toEqual([
    "value of a",
    "value of b",
    "value of a",
    undefined,
  ]);
  expect(await read("c")).toBe("value of c");
  expect(asked).toEqual([["a", "b", "none"], ["c"]]);
});

it("a batch reader rejects all reads of a failed query and continues", async () => {
  let isBroken = true;
  const read = createBatchReader(async (keys) => {
    if (isBroken) throw new Error("gone");
    return new Map(keys.map((key) => [key, key]));
  });
  const results = await Promise.allSettled([read("a"), read("b")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isBroken = false;
  expect(await read("a")).toBe("a");
});

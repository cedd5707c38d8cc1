import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createIngestionWrites } from "./ingestion-writes.ts";

/** Starts this number of writes that end one by one. */
function startWrites(databaseKind: "sqlite" | "postgres", count: number) {
  const runWrite = createIngestionWrites({ databaseKind });
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const results = ends.map(({ promise }, index) =>
    runWrite(async () => {
      begun.push(index);
      await promise;
    }).catch(() => "failed"),
  );
  return { ends, begun, results };
}

it("two writes of ingestion run at a time on PostgreSQL, in the order of their calls", async () => {
  const { ends, begun, results } = startWrites("postgres", 4);
  await expect.poll(() => begun).toEqual([0, 1]);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  ends[0]?.reject(new Error("no connection"));
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all(results)).toEqual(["failed", undefined, undefined, undefined]);
});

it("writes of ingestion on SQLite do not wait for the end of others, so that they share a sync of the log", async () => {
  const { ends, begun, results } = startWrites("sqlite", 4);
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  for (const { resolve } of ends) resolve();
  await Promise.all(results);
});

import { expect, it } from "vitest";
import type { IndexConnection } from "./index-connection.ts";
import { packContents } from "./postings.ts";
import { findInContents, toWantedTerms } from "./segment-contents.ts";
import { createSegmentMemory } from "./segment-memory.ts";

/** A connection that counts the segments it reads. Each has a term with its own id. */
function createCountingConnection() {
  const read: number[] = [];
  const connection = {
    async all(_sql: string, parameters: readonly unknown[]) {
      const ids = parameters.filter((value): value is number => typeof value === "number");
      read.push(...ids);
      return ids.map((id) => ({ id, contents: contentsOf(id) }));
    },
  } as Pick<IndexConnection, "all"> as IndexConnection;
  return { connection, take: () => read.splice(0) };
}

const contentsOf = (id: number) =>
  Buffer.from(packContents(new Map([[`term${id}`, [{ chunk: 0, frequency: 1, length: 1 }]]])));
/** The size of the contents, including the offset of their entry. */
const bytesOf = (id: number) => contentsOf(id).length + Uint32Array.BYTES_PER_ELEMENT;

it("the contents of a segment are read once, and those that were searched longest ago are evicted", async () => {
  const { connection, take } = createCountingConnection();
  const memory = createSegmentMemory(3 * bytesOf(1));
  const load = async (...ids: number[]) => [...(await memory.load(connection, "org", ids)).keys()].sort();
  expect(await load(1, 2, 3)).toEqual([1, 2, 3]);
  expect(take()).toEqual([1, 2, 3]);
  expect(await load(1, 2, 4)).toEqual([1, 2, 4]);
  expect(take()).toEqual([4]);
  expect(await load(1, 2, 3)).toEqual([1, 2, 3]);
  expect(take()).toEqual([3]);
});

it("an agent with more segments than fit into memory is searched completely", async () => {
  const { connection, take } = createCountingConnection();
  const memory = createSegmentMemory(2 * bytesOf(1));
  const ids = Array.from({ length: 5 }, (_, index) => index + 1);
  for (let search = 0; search < 2; search++) {
    const found = await memory.load(connection, "org", ids);
    const terms = [...found.values()].flatMap((contents) =>
      findInContents(contents, toWantedTerms(ids.map((id) => `term${id}`))).map(({ term }) => term),
    );
    expect(terms.sort()).toEqual(ids.map((id) => `term${id}`));
  }
  expect(take().length).toBeGreaterThan(5);
});

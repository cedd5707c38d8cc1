import { expect, it } from "vitest";
import type { IndexConnection } from "./index-connection.ts";
import { createVectorMemory, type VectorSet } from "./vector-memory.ts";

const DIMENSIONS = 1_024;
const PASSAGES_A_ROW = 16;

/** A database that holds the signs of this many passages, in batches of 16. */
function createConnection(passages: { count: number }) {
  const reads = { rows: 0 };
  const connection: Pick<IndexConnection, "all"> = {
    async all<Row>(_sql: string, [, , batch]: readonly unknown[] = []) {
      const first = Number(batch);
      const batches = Math.min(1_000, passages.count / PASSAGES_A_ROW - first);
      const rows = Array.from({ length: Math.max(0, batches) }, (_, index) => ({
        batch: first + index + 1,
        number: (first + index) * PASSAGES_A_ROW,
        passages: PASSAGES_A_ROW,
        signs: Buffer.alloc((PASSAGES_A_ROW * DIMENSIONS) / 8, first + index),
      }));
      reads.rows += rows.length;
      return rows as Row[];
    },
  };
  return { connection: connection as IndexConnection, reads };
}

const setOf = (agentId: string, vectors: number): VectorSet => ({
  organizationId: "org_1",
  agentId,
  model: "test/model",
  dimensions: DIMENSIONS,
  vectors,
  readyAt: 1,
});

it("the vector memory keeps 100,000 passages of 1,024 components in at most 15 MB", async () => {
  const { connection } = createConnection({ count: 100_000 });
  const signs = await createVectorMemory().load(connection, setOf("agent_1", 100_000));
  const bytes = signs?.blocks.reduce((sum, block) => sum + block.numbers.byteLength + block.signs.byteLength, 0);
  expect(signs?.count).toBe(100_000);
  expect(bytes).toBeLessThanOrEqual(15_000_000);
});

it("the vector memory reads only what was stored since the last search", async () => {
  const stored = { count: 3_200 };
  const { connection, reads } = createConnection(stored);
  const memory = createVectorMemory();
  await memory.load(connection, setOf("agent_1", 3_200));
  expect(reads.rows).toBe(200);
  stored.count += 32;
  const signs = await memory.load(connection, setOf("agent_1", 3_232));
  expect([reads.rows, signs?.count]).toEqual([202, 3_232]);
  expect(signs?.blocks.flatMap(({ numbers, count }) => [...numbers.subarray(0, count)])).toEqual(
    Array.from({ length: 3_232 }, (_, number) => number),
  );
});

it("the vector memory evicts the least recently searched agents when it is full", async () => {
  const { connection, reads } = createConnection({ count: 1_600 });
  const memory = createVectorMemory(1_600 * 136 * 2);
  const load = (agentId: string) => memory.load(connection, setOf(agentId, 1_600));
  for (const agentId of ["agent_1", "agent_2", "agent_1", "agent_3"]) await load(agentId);
  expect(reads.rows).toBe(300);
  await load("agent_1");
  expect(reads.rows).toBe(300);
  await load("agent_2");
  expect(reads.rows).toBe(400);
  expect(await memory.load(connection, setOf("agent_4", 10_000))).toBeNull();
});

it("the vector memory reads everything again when many of its passages were deleted", async () => {
  const stored = { count: 16_000 };
  const { connection, reads } = createConnection(stored);
  const memory = createVectorMemory();
  await memory.load(connection, setOf("agent_1", 16_000));
  stored.count = 8_000;
  const signs = await memory.load(connection, setOf("agent_1", 8_000));
  expect([reads.rows, signs?.count]).toEqual([1_500, 8_000]);
});

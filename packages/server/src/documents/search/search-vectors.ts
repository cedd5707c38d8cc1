import { type IndexConnection, placeholders } from "./index-connection.ts";
import { cosineSimilarity, packSigns } from "./quantize.ts";
import type { AgentSigns, VectorMemory, VectorSet } from "./vector-memory.ts";

/** The number of passages whose vectors are compared exactly after the comparison of their signs. */
const CANDIDATES = 200;
/** The number of passages in the list that is joined with the result of the search by words. */
const NEAREST = 50;
/** How often further candidates are selected because too many of the previous ones had been deleted. */
const MAX_ROUNDS = 5;

/** The questions' vectors of one model. */
export type Meaning = { model: string; vectors: readonly Float32Array[] };

type VectorQuery = { organizationId: string; agentId: string; meaning?: Meaning | null };

type NearPassage = { number: number; similarity: number };

/**
 * The passages nearest to any of the questions by the cosine of their vectors, best first. Of equal passages, the older
 * comes first.
 */
export async function searchVectors(
  connection: IndexConnection,
  memory: VectorMemory,
  { organizationId, agentId, meaning }: VectorQuery,
): Promise<NearPassage[]> {
  if (!meaning) return [];
  const { model } = meaning;
  const set = await readSet(connection, { organizationId, agentId, model });
  const queries = meaning.vectors.filter((vector) => vector.length === set?.dimensions);
  if (!set || queries.length === 0) return [];
  const signs = await memory.load(connection, set);
  if (signs === null) return [];
  const best = new Map<number, number>();
  for (const query of queries) {
    for (const { number, similarity } of await rankNearest(connection, { set, signs, query })) {
      best.set(number, Math.max(similarity, best.get(number) ?? -1));
    }
  }
  return (
    [...best]
      .map(([number, similarity]) => ({ number, similarity }))
      // A passage whose vector is at a right angle to the question's, or beyond, has nothing in common with the
      // question.
      .filter(({ similarity }) => similarity > 0)
      .sort((a, b) => b.similarity - a.similarity || a.number - b.number)
      .slice(0, NEAREST)
  );
}

/** The organization's agent has a complete set of vectors of this model. */
async function readSet(
  connection: IndexConnection,
  { organizationId, agentId, model }: { organizationId: string; agentId: string; model: string },
): Promise<VectorSet | undefined> {
  const rows = await connection.all<Pick<VectorSet, "dimensions" | "vectors" | "readyAt">>(
    `select dimensions, vectors, "readyAt" from "agentEmbeddings" where "agentId" = ? and model = ? and "organizationId" = ?
       and "readyAt" is not null and "isRetired" = 0 and dimensions is not null`,
    [agentId, model, organizationId],
  );
  return rows[0] && { organizationId, agentId, model, ...rows[0] };
}

type Comparison = { set: VectorSet; signs: AgentSigns; query: Float32Array };

async function rankNearest(connection: IndexConnection, { set, signs, query }: Comparison): Promise<NearPassage[]> {
  for (let round = 0; ; round++) {
    const candidates = findNearestBySigns(signs, query);
    const vectors = await readVectors(
      connection,
      set,
      candidates.map(({ number }) => number),
    );
    let deleted = 0;
    for (const { number, block, index } of candidates) {
      if (vectors.has(number)) continue;
      const numbers = signs.blocks[block]?.numbers;
      if (numbers) numbers[index] = -1;
      deleted++;
    }
    if (deleted > CANDIDATES - NEAREST && round < MAX_ROUNDS) continue;
    return [...vectors].map(([number, vector]) => ({ number, similarity: cosineSimilarity(query, vector) }));
  }
}

type Candidate = { number: number; block: number; index: number };

/** The candidates whose signs differ least from the question's. Of equal passages, the older comes first. */
function findNearestBySigns({ words, blocks, count }: AgentSigns, query: Float32Array): Candidate[] {
  const wanted = new Uint32Array(new Uint8Array(packSigns(query)).buffer);
  const distances = new Uint16Array(count);
  const histogram = new Uint32Array(words * 32 + 1);
  let position = 0;
  for (const block of blocks) {
    for (let index = 0; index < block.count; index++, position++) {
      const distance = countDifferingBits(block.signs, index * words, wanted);
      distances[position] = distance;
      if (block.numbers[index] !== -1) histogram[distance] = (histogram[distance] ?? 0) + 1;
    }
  }
  let limit = 0;
  for (let found = 0; limit < histogram.length; limit++) {
    found += histogram[limit] ?? 0;
    if (found >= CANDIDATES) break;
  }
  return collect(blocks, distances, limit);
}

/** All candidates nearer than `limit`, and as many at `limit` as there is room for. */
function collect(blocks: AgentSigns["blocks"], distances: Uint16Array, limit: number): Candidate[] {
  const nearer: Candidate[] = [];
  const atLimit: Candidate[] = [];
  let position = 0;
  for (const [block, { numbers, count }] of blocks.entries()) {
    for (let index = 0; index < count; index++, position++) {
      const distance = distances[position] ?? 0;
      const number = numbers[index] ?? -1;
      if (distance > limit || number === -1) continue;
      if (distance < limit) nearer.push({ number, block, index });
      else if (atLimit.length < CANDIDATES) atLimit.push({ number, block, index });
    }
  }
  return [...nearer, ...atLimit].slice(0, CANDIDATES);
}

/** The number of set bits in each 16-bit number. */
const bitCounts = new Uint8Array(65_536);
for (let number = 1; number < bitCounts.length; number++) {
  bitCounts[number] = (bitCounts[number >> 1] ?? 0) + (number & 1);
}

function countDifferingBits(signs: Uint32Array, start: number, wanted: Uint32Array): number {
  let bits = 0;
  for (let word = 0; word < wanted.length; word++) {
    const differing = (signs[start + word] as number) ^ (wanted[word] as number);
    bits += (bitCounts[differing & 0xffff] as number) + (bitCounts[differing >>> 16] as number);
  }
  return bits;
}

async function readVectors(
  connection: IndexConnection,
  { organizationId, agentId, model, dimensions }: VectorSet,
  numbers: readonly number[],
): Promise<Map<number, Int8Array>> {
  if (numbers.length === 0) return new Map();
  const rows = await connection.all<{ number: number; vector: Buffer }>(
    `select number, vector from "chunkVectors"
     where "agentId" = ? and model = ? and number in (${placeholders(numbers)}) and "organizationId" = ?`,
    [agentId, model, ...numbers, organizationId],
  );
  const usable = rows.filter(({ vector }) => vector.length === dimensions);
  return new Map(
    usable.map(({ number, vector }) => [number, new Int8Array(vector.buffer, vector.byteOffset, vector.length)]),
  );
}

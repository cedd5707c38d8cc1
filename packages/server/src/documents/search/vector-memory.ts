import type { IndexConnection } from "./index-connection.ts";
import { signWordCount } from "./quantize.ts";

/**
 * The maximum size of the memory, which all agents share. It is enough for 1.1 million passages of 1,024 dimensions.
 */
export const MAX_SIGN_BYTES = 160_000_000;
/** The number of passages whose signs are in one array, so that growing copies nothing. */
const BLOCK = 4_096;
const ROWS_AT_ONCE = 1_000;
/** The share of deleted passages at which an agent's memory is rebuilt without them. */
const MAX_DEAD = 0.2;

type Block = {
  /** numbers of the passages; -1 for one that was deleted */
  numbers: Float64Array;
  signs: Uint32Array;
  count: number;
};

/** The signs of an agent's vectors, in the order in which they were stored. */
export type AgentSigns = {
  /** 32-bit words for each passage */
  words: number;
  blocks: Block[];
  count: number;
  lastBatch: number;
};

/** An agent's vectors of one model, as described in the database. */
export type VectorSet = {
  organizationId: string;
  agentId: string;
  model: string;
  dimensions: number;
  vectors: number;
  /** distinguishes these vectors from those of an earlier period in which the same model was in use */
  readyAt: number;
};

export type VectorMemory = ReturnType<typeof createVectorMemory>;

/**
 * Keeps the signs of the most recently searched agents. Every search reads the batches that were stored since the
 * previous one. The numbers of passages are never reused, so the signs that were read remain valid. Searches mark
 * deleted passages.
 */
export function createVectorMemory(maxBytes = MAX_SIGN_BYTES) {
  const agents = new Map<string, AgentSigns>();

  function forgetUntilFits(needed: number) {
    let used = [...agents.values()].reduce((sum, signs) => sum + signsBytes(signs), 0);
    for (const [key, signs] of agents) {
      if (used + needed <= maxBytes) return;
      agents.delete(key);
      used -= signsBytes(signs);
    }
  }

  return {
    /** @returns null when the agent has more passages than memory allows */
    async load(connection: IndexConnection, set: VectorSet): Promise<AgentSigns | null> {
      const key = `${set.agentId} ${set.model} ${set.readyAt}`;
      const words = signWordCount(set.dimensions);
      if (set.vectors * passageBytes(words) > maxBytes) return null;
      const known = agents.get(key);
      agents.delete(key);
      const isWorn = known && (known.words !== words || known.count - set.vectors > set.vectors * MAX_DEAD + 1_000);
      const signs = known && !isWorn ? known : { words, blocks: [], count: 0, lastBatch: 0 };
      forgetUntilFits(set.vectors * passageBytes(words));
      await readAdded(connection, set, signs);
      // Moves the agent to the end, because the least recently searched agent is evicted first.
      agents.set(key, signs);
      return signs;
    },
  };
}

/** A number that exceeds the number of every passage. */
const MAX_NUMBER = 2 ** 53;

const passageBytes = (words: number) => 4 * words + Float64Array.BYTES_PER_ELEMENT;

const signsBytes = ({ blocks }: AgentSigns) =>
  blocks.reduce((sum, { numbers, signs }) => sum + numbers.byteLength + signs.byteLength, 0);

type SignsRow = { batch: number; number: number; passages: number; signs: Buffer };

async function readAdded(connection: IndexConnection, set: VectorSet, signs: AgentSigns): Promise<void> {
  const { organizationId, agentId, model, vectors } = set;
  for (let last: Pick<SignsRow, "batch" | "number"> = { batch: signs.lastBatch, number: MAX_NUMBER }; ; ) {
    const rows = await connection.all<SignsRow>(
      `select batch, number, passages, signs from "vectorSigns"
       where "agentId" = ? and model = ? and (batch, number) > (?, ?) and "organizationId" = ?
       order by batch, number limit ${ROWS_AT_ONCE}`,
      [agentId, model, last.batch, last.number, organizationId],
    );
    for (const row of rows) addRow(signs, row, vectors);
    last = rows.at(-1) ?? last;
    signs.lastBatch = last.batch;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function addRow(all: AgentSigns, { number, passages, signs }: SignsRow, expected: number) {
  // Copy the signs, because a driver's buffer may start at any offset of its memory.
  const words = new Uint32Array(new Uint8Array(signs).buffer);
  for (let index = 0; index < passages; index++) {
    const block = blockWithRoom(all, expected);
    block.numbers[block.count] = number + index;
    block.signs.set(words.subarray(index * all.words, (index + 1) * all.words), block.count * all.words);
    block.count++;
    all.count++;
  }
}

function blockWithRoom(all: AgentSigns, expected: number): Block {
  const last = all.blocks.at(-1);
  if (last && last.count < last.numbers.length) return last;
  const size = Math.min(BLOCK, Math.max(64, expected - all.count));
  const block = { numbers: new Float64Array(size), signs: new Uint32Array(size * all.words), count: 0 };
  all.blocks.push(block);
  return block;
}

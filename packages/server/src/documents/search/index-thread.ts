import { parentPort, workerData } from "node:worker_threads";
import type { DatabaseAddress } from "../../db/database-kind.ts";
import { connect, type IndexConnection } from "./index-connection.ts";
import { deleteStrayChunks, findAgentsToMaintain, maintainAgent, removeDeletedAgent } from "./maintain-index.ts";
import { reanalyzeSegment } from "./reanalyze-segments.ts";
import type { PassageHit, PassageQuery, SearchMemory } from "./search-index.ts";
import { searchIndex } from "./search-index.ts";
import { createSegmentMemory } from "./segment-memory.ts";
import { createVectorMemory } from "./vector-memory.ts";

/**
 * `sweep` finds agents with unfinished maintenance and maintains them. `reanalyze` analyzes a segment of an earlier
 * version again.
 */
export type IndexTask =
  | { kind: "search"; query: PassageQuery }
  | { kind: "maintain"; agentId: string }
  | { kind: "sweep" }
  | { kind: "reanalyze" };

export type IndexThreadData = { address: DatabaseAddress; mode: "read" | "write" };
export type IndexRequest = { id: number; task: IndexTask };
export type IndexReply = { id: number } & ({ hits: PassageHit[] } | { error: string; code: string | undefined });

/** Runs one task at a time. The connection is opened for the first task, and reopened after an error. */
const { address, mode } = workerData as IndexThreadData;
/** The organization whose segment was analyzed last. */
let lastAnalyzed = "";
let opened: Promise<{ connection: IndexConnection; memory: SearchMemory }> | null = null;

/**
 * Only the search thread fills this memory. It is released together with the connection, because after a failover, a
 * promoted standby can assign the ids of rows that it never received to other rows.
 */
async function open() {
  const connection = await connect(address, mode);
  return { connection, memory: { vectors: createVectorMemory(), segments: createSegmentMemory() } };
}

async function run(task: IndexTask): Promise<PassageHit[]> {
  opened ??= open();
  const { connection, memory } = await opened;
  if (task.kind === "search") return connection.reading(() => searchIndex(connection, memory, task.query));
  if (task.kind === "reanalyze") {
    lastAnalyzed = (await reanalyzeSegment(connection, lastAnalyzed)) ?? "";
    return [];
  }
  if (task.kind === "sweep") await deleteStrayChunks(connection);
  const agentIds = task.kind === "maintain" ? [task.agentId] : await findAgentsToMaintain(connection);
  for (const agentId of agentIds) {
    await removeDeletedAgent(connection, agentId);
    await maintainAgent(connection, agentId);
  }
  return [];
}

parentPort?.on("message", async ({ id, task }: IndexRequest) => {
  try {
    const hits = await run(task);
    parentPort?.postMessage({ id, hits } satisfies IndexReply);
  } catch (error) {
    const failed = opened;
    opened = null;
    await failed?.then(({ connection }) => connection.close()).catch(() => {});
    parentPort?.postMessage({
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      code: error instanceof Error && "code" in error ? String(error.code) : undefined,
    } satisfies IndexReply);
  }
});

import { parentPort, workerData } from "node:worker_threads";
import type { DatabaseAddress } from "../../db/database-kind.ts";
import { isStopFlagSet, type StopFlag } from "../../db/sqlite/stop-flag.ts";
import { connect } from "../../documents/search/index-connection.ts";
import { indexTexts } from "./index-texts.ts";

export type IndexRequest = { id: number; before: number };
export type IndexReply = { id: number; error?: string };

/** Indexes conversations on a connection of its own. */
const { address, stopFlag } = workerData as { address: DatabaseAddress; stopFlag: StopFlag };

async function run(before: number): Promise<void> {
  const connection = await connect(address, "write");
  try {
    // A commit that is lost when the machine loses its power is repeated. Syncing it would hold the write lock longer.
    if (connection.kind === "sqlite") await connection.all("pragma synchronous = normal");
    await indexTexts(connection, { before, isStopped: () => isStopFlagSet(stopFlag) });
  } finally {
    await connection.close();
  }
}

parentPort?.on("message", async ({ id, before }: IndexRequest) => {
  const error = await run(before).then(
    () => undefined,
    (reason: unknown) => (reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)),
  );
  parentPort?.postMessage({ id, ...(error === undefined ? {} : { error }) } satisfies IndexReply);
});

import type { Logger } from "pino";
import type { DatabaseAddress } from "../database-kind.ts";
import { createTaskThread } from "./thread-tasks.ts";

export type CheckpointResult = { id: number; isDone: boolean; error?: string };

const TIMEOUT_MS = 20_000;

export type Checkpoint = ReturnType<typeof createCheckpoint>;

/**
 * Empties SQLite's write-ahead log, which still contains what a transaction deleted. Runs in a thread, because it waits
 * for the disk. PostgreSQL's dumps contain only current rows, so there is nothing to do.
 */
export function createCheckpoint(
  app: { addHook(name: "onClose", hook: () => Promise<void>): unknown },
  { config, log }: { config: { database: DatabaseAddress }; log: Pick<Logger, "warn"> },
) {
  const address = config.database;
  if (address.kind === "postgres") return { run: async () => {} };
  const module = new URL("./checkpoint-thread.ts", import.meta.url);
  const workerData = { file: address.file };
  const thread = createTaskThread<object, CheckpointResult>({ module, workerData, name: "checkpoint" });
  app.addHook("onClose", () => thread.stop());
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function runCheckpoint(): Promise<void> {
    const result = await thread.run({}, TIMEOUT_MS);
    if (result?.isDone) return;
    log.warn(
      { problem: result?.error ?? "the database was in use" },
      "could not empty the database's write-ahead log, which can still contain deleted text",
    );
  }

  function start(): Promise<void> {
    next = null;
    running = runCheckpoint()
      .catch((error: unknown) => log.warn({ err: error }, "could not empty the database's write-ahead log"))
      .finally(() => {
        running = null;
      });
    return running;
  }

  return {
    /** Resolves once everything that was committed before this call is no longer in the log. */
    run(): Promise<void> {
      // A running checkpoint may have begun before the caller's last commit, so it is followed by another one, which
      // serves all callers.
      if (running) {
        next ??= running.then(start);
        return next;
      }
      return start();
    },
  };
}

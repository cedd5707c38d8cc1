import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { requireWritable, unwritable } from "./require-writable.ts";

const LOCK_FILE = "lock.sqlite";
const HOLDER_FILE = "lock.pid";

/**
 * Locks a data folder for this process with a write lock on a small SQLite database in the folder. The operating system
 * releases the lock when the process ends, even after `kill -9`. The lock also works between containers that share the
 * folder. Backups need no lock, so they can run while a server is running.
 * @returns a function that releases the lock
 * @throws when another process holds the lock, naming that process
 */
export function lockDataFolder(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unwritable(dataDir, error);
  }
  requireWritable(dataDir);
  const database = new Database(join(dataDir, LOCK_FILE), { timeout: 0 });
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new Error(`${describeHolder(dataDir)} is using the data folder ${dataDir}. Stop it first.`);
  }
  // The file is only used for the message above. A stale file of a killed process does no harm.
  writeFileSync(join(dataDir, HOLDER_FILE), `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  return () => database.close();
}

function describeHolder(dataDir: string): string {
  const [pid, host] = readHolder(dataDir).split(" ");
  if (!pid) return "Another process";
  // In a container, the same process id means a different process.
  return host === hostname() ? `Process ${pid}` : `Process ${pid} on ${host}`;
}

function readHolder(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, HOLDER_FILE), "utf8").trim();
  } catch (error) {
    // The holder writes the file just after taking the lock, so it may not exist yet.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { Config } from "./config.ts";
import { migrate } from "./db/migrate.ts";
import { RESTORING, restore } from "./db/sqlite/backup.ts";
import type { Deps } from "./deps.ts";
import { applyRestoreLedger, type RestoredDeps, readRestoreLedger } from "./restore-ledger.ts";
import type { eraseAgain } from "./visitors/erase-again.ts";

type OpenDeps = RestoredDeps & { close(): Promise<void> };
/** `open` opens the data that a configuration specifies. */
type Address = { config: Config; file: string; open(config: Config): OpenDeps; eraseAgain: typeof eraseAgain };

/**
 * Restores a backup, migrates it and repeats the erasures that were made after the backup. All of this happens in a copy
 * first, so a backup that this version cannot use changes nothing. The caller holds the data folder's lock.
 * @returns the folder of the previous data, and how many visitors and conversations were erased
 * @throws when the backup cannot be used; the current data is then unchanged
 */
export async function restoreBackup(
  before: Pick<Deps, "db" | "encryption">,
  { config, file, open, eraseAgain }: Address,
  folder: string,
): Promise<{ kept: string; erased: number }> {
  const ledger = await readRestoreLedger(before.db).catch((error: unknown) => {
    throw unreadableLedgerError(error, file);
  });
  try {
    return await inPreparedCopy({ config, open }, folder, async (copy) => {
      await describeCopy(copy);
      const { encryption } = before;
      const erased = await useCopy(copy, (restored) =>
        applyRestoreLedger(restored, ledger, { encryption, erase: eraseAgain }),
      );
      return { kept: await restore(file, config.dataDir, copy.dataDir), erased };
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The backup was not restored, and the current data is unchanged. ${reason}`, { cause: error });
  }
}

type Copy = { dataDir: string; open(): OpenDeps };

/** Restores a backup into a folder of its own, migrates it, and deletes the folder after `use`. */
async function inPreparedCopy<T>(
  { config, open }: Pick<Address, "config" | "open">,
  folder: string,
  use: (copy: Copy) => Promise<T>,
): Promise<T> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  // In the data folder, because the temporary folder may be too small, or in memory.
  const dataDir = mkdtempSync(join(config.dataDir, RESTORING));
  const file = join(dataDir, "foyer.sqlite");
  const copy = { dataDir, open: () => open({ ...config, dataDir, database: { kind: "sqlite", file } }) };
  try {
    await restore(file, dataDir, folder);
    await useCopy(copy, ({ db }) => migrate({ db, kind: "sqlite" }));
    return await use(copy);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Closing the copy writes all of it to the database file. */
async function useCopy<T>(copy: Copy, use: (restored: OpenDeps) => Promise<T>): Promise<T> {
  const restored = copy.open();
  try {
    return await use(restored);
  } finally {
    await restored.close();
  }
}

/** Explains how to restore without the ledger of the current database, which could not be read. */
export function unreadableLedgerError(error: unknown, file: string): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(
    `The current database cannot be read (${reason}). It records which visitors were erased since the backup, and without this record, the restore would bring them back. To restore anyway, first move ${file}, ${file}-wal and ${file}-shm to another folder.`,
  );
}

/**
 * Restores a backup into a temporary folder and checks that this version can use it: the database is intact and can be
 * migrated, and the secret decrypts its values. @returns what it contains, for the operator
 * @throws when the backup cannot be used
 */
export async function verifyBackup(
  { config, open }: Pick<Address, "config" | "open">,
  folder: string,
): Promise<string> {
  return inPreparedCopy({ config, open }, folder, describeCopy);
}

/** Checks that rows refer to existing rows, and that the secret decrypts the values. @returns what the copy contains */
function describeCopy(copy: Copy): Promise<string> {
  return useCopy(copy, async ({ db, encryption }) => {
    const broken = (await sql`pragma foreign_key_check`.execute(db)).rows.length;
    if (broken > 0) throw new Error(`The backup has ${broken} rows that refer to missing rows.`);
    const agents = await db.selectFrom("agents").select(["id", "identitySecret"]).execute();
    for (const { id, identitySecret } of agents) encryption.decrypt(identitySecret, id);
    const counted = await db
      .selectFrom("conversations")
      .select((x) => x.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    return `${agents.length} agents and ${Number(counted.n)} conversations`;
  });
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import type { Config } from "./config.ts";
import { restore } from "./db/backup.ts";
import { migrate } from "./db/migrate.ts";
import type { Deps } from "./deps.ts";
import { applyRestoreLedger, type RestoredDeps, readRestoreLedger } from "./restore-ledger.ts";
import type { eraseAgain } from "./visitors/erase-again.ts";

type OpenDeps = RestoredDeps & { close(): Promise<void> };
/** `open` opens the data that a configuration specifies. */
type Address = { config: Config; file: string; open(config: Config): OpenDeps; eraseAgain: typeof eraseAgain };

/**
 * Restores a backup, migrates it and repeats the erasures that were made after the backup. The caller holds the data
 * folder's lock. @returns the folder of the previous data, and how many visitors and conversations were erased
 */
export async function restoreBackup(
  before: Pick<Deps, "db" | "encryption">,
  { config, file, open, eraseAgain }: Address,
  folder: string,
): Promise<{ kept: string; erased: number }> {
  const ledger = await readRestoreLedger(before.db).catch((error: unknown) => {
    throw unreadableLedgerError(error, file);
  });
  const previousDir = await restore(file, config.dataDir, folder);
  const restored = open(config);
  try {
    await migrate({ db: restored.db, kind: restored.databaseKind });
    const erased = await applyRestoreLedger(restored, ledger, { encryption: before.encryption, erase: eraseAgain });
    return { kept: previousDir, erased };
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
  const dataDir = mkdtempSync(join(tmpdir(), "foyer-verify-"));
  const file = join(dataDir, "foyer.sqlite");
  try {
    await restore(file, dataDir, folder);
    const restored = open({ ...config, dataDir, database: { kind: "sqlite", file } });
    try {
      const { db, encryption } = restored;
      await migrate({ db, kind: "sqlite" });
      const broken = (await sql`pragma foreign_key_check`.execute(db)).rows.length;
      if (broken > 0) throw new Error(`The backup has ${broken} rows that refer to missing rows.`);
      const agents = await db.selectFrom("agents").select(["id", "identitySecret"]).execute();
      for (const { id, identitySecret } of agents) encryption.decrypt(identitySecret, id);
      const counted = await db
        .selectFrom("conversations")
        .select((x) => x.fn.countAll<number>().as("n"))
        .executeTakeFirstOrThrow();
      return `${agents.length} agents and ${Number(counted.n)} conversations`;
    } finally {
      await restored.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

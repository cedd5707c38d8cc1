import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { sql } from "kysely";
import type { Db } from "./db/open.ts";
import type { ErasureLedgerRow } from "./db/tables/visitors.ts";
import type { Deps } from "./deps.ts";
import type { Encryption } from "./encryption.ts";
import { continueFeedsAfter, type FeedPosition, readFeedPositions } from "./events/feed-positions.ts";
import type { eraseAgain } from "./visitors/erase-again.ts";
import { addToLedger, readLedger } from "./visitors/ledger.ts";

/** What restoring a backup must not undo: which visitors were erased, and how far the event feeds have been read. */
type RestoreLedger = { erasures: ErasureLedgerRow[]; feeds: FeedPosition[] };

export type RestoredDeps = Pick<Deps, "db" | "reads" | "databaseKind" | "encryption">;

/** The version of the file's format. */
const FORMAT = 1;

/** @throws when the database cannot be read, because a restore without its ledger would bring back erased visitors */
export async function readRestoreLedger(db: Db): Promise<RestoreLedger> {
  return { erasures: await readLedger(db), feeds: await readFeedPositions(db) };
}

/**
 * Applies the ledger of the replaced database to the restored one, which is migrated and not used by any server.
 * @param encryption the keys that produced the ledger's hashes
 * @returns how many visitors and conversations were erased again
 */
export async function applyRestoreLedger(
  restored: RestoredDeps,
  { erasures, feeds }: RestoreLedger,
  { encryption, erase }: { encryption: Pick<Encryption, "sign">; erase: typeof eraseAgain },
): Promise<number> {
  await continueFeedsAfter(restored.db, feeds);
  const restoredErasures = await readLedger(restored.db);
  // With another secret, the hashes could never be compared again. The entries are added first, so that another restore
  // finds them after an interruption.
  if (createCheck(encryption) === createCheck(restored.encryption)) await addToLedger(restored.db, erasures);
  let erased = await erase(restored, erasures, encryption);
  if (restoredErasures.length > 0) erased += await erase(restored, restoredErasures, restored.encryption);
  // The write-ahead log still contains what was deleted.
  if (restored.databaseKind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(restored.db);
  return erased;
}

/**
 * Writes the file, or replaces an earlier export of the same server. It contains no personal data, and nothing in it
 * can be guessed without the server's secret.
 * @throws when the file is something else, or when its erasures would be lost
 */
export function writeLedgerFile(file: string, ledger: RestoreLedger, encryption: Encryption): void {
  if (existsSync(file)) checkReplaceable(file, ledger, encryption);
  // The name is random, so that another user of a shared folder cannot predict it and place a link there.
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  const contents = { format: FORMAT, secret: createCheck(encryption), ...ledger };
  try {
    // Flushed, because after a power failure the new name could otherwise belong to an empty file.
    writeFileSync(draft, `${JSON.stringify(contents)}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Refuses to replace the ledger with the ledger of a database that was lost and created again, which an export that
 * runs every night could otherwise do.
 */
function checkReplaceable(file: string, { erasures }: RestoreLedger, encryption: Encryption): void {
  const { length } = readLedgerFile(file, encryption).erasures;
  if (erasures.length > 0 || length === 0) return;
  throw new Error(
    `${file} contains erasures (${length}), but this database has none. Has it been replaced? Export to another file.`,
  );
}

/** @throws when the file is not a ledger, or belongs to a server with another secret */
export function readLedgerFile(file: string, encryption: Encryption): RestoreLedger {
  const { format, secret, erasures, feeds } = parse(file);
  if (format !== FORMAT || !Array.isArray(erasures) || !Array.isArray(feeds)) {
    throw new Error(`${file} is not a file that this version's "ledger export" has written.`);
  }
  if (secret !== createCheck(encryption)) {
    throw new Error(
      `${file} was exported with another FOYER_SECRET, so its hashes cannot be compared. Set the secret of that server.`,
    );
  }
  return { erasures, feeds };
}

function parse(file: string): Partial<RestoreLedger & { format: number; secret: string }> {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text) ?? {};
  } catch {
    throw new Error(`${file} is not a file that "ledger export" has written.`);
  }
}

/** Returns a value that is equal for equal secrets. */
function createCheck(encryption: Pick<Encryption, "sign">): string {
  return encryption.sign("erasure", "");
}

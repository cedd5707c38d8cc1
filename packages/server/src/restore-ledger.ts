import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { sql } from "kysely";
import type { Db } from "./db/open.ts";
import type { ErasureLedgerRow } from "./db/visitor-tables.ts";
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
 * @param encryption the keys with which the ledger's hashes were made
 * @returns how many visitors and conversations were erased again
 */
export async function applyRestoreLedger(
  restored: RestoredDeps,
  { erasures, feeds }: RestoreLedger,
  { encryption, erase }: { encryption: Pick<Encryption, "sign">; erase: typeof eraseAgain },
): Promise<number> {
  await continueFeedsAfter(restored.db, feeds);
  const own = await readLedger(restored.db);
  // With another secret, the hashes could never be compared again. Added first, so that after an interruption another
  // restore still finds them.
  if (checkOf(encryption) === checkOf(restored.encryption)) await addToLedger(restored.db, erasures);
  let erased = await erase(restored, erasures, encryption);
  if (own.length > 0) erased += await erase(restored, own, restored.encryption);
  // The write-ahead log still contains what was deleted.
  if (restored.databaseKind === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(restored.db);
  return erased;
}

/** Replaces the file. It contains no personal data, and nothing in it can be guessed without the server's secret. */
export function writeLedgerFile(file: string, ledger: RestoreLedger, encryption: Encryption): void {
  const draft = `${file}.${process.pid}`;
  const contents = { format: FORMAT, secret: checkOf(encryption), ...ledger };
  writeFileSync(draft, `${JSON.stringify(contents)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** @throws when the file is not a ledger, or belongs to a server with another secret */
export function readLedgerFile(file: string, encryption: Encryption): RestoreLedger {
  const { format, secret, erasures, feeds } = parse(file);
  if (format !== FORMAT || !Array.isArray(erasures) || !Array.isArray(feeds)) {
    throw new Error(`${file} is not a file that this version's "ledger export" has written.`);
  }
  if (secret !== checkOf(encryption)) {
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

/** A value that is equal for equal secrets. */
function checkOf(encryption: Pick<Encryption, "sign">): string {
  return encryption.sign("erasure", "");
}

import { sql } from "kysely";
import { isMigrated } from "./migrate.ts";
import type { Db } from "./open.ts";

const CHECK_EVERY_MS = 1_000;

/**
 * Checks that every migration has run and that the database accepts writes (a full or failing disk can still be read).
 * The endpoint is public, so it writes at most once per second. The returned function rejects when the database does
 * not respond or rejects the write.
 */
export function createReadinessCheck(db: Db): () => Promise<boolean> {
  let last: { at: number; isReady: Promise<boolean> } | null = null;
  return () => {
    const now = performance.now();
    if (!last || now - last.at >= CHECK_EVERY_MS) last = { at: now, isReady: check(db) };
    return last.isReady;
  };
}

async function check(db: Db): Promise<boolean> {
  if (!(await isMigrated(db))) return false;
  // Changes the value by a millisecond each time, because an update that changes nothing would not be written.
  const moved = sql`"ranAt" + case when "ranAt" % 2 = 0 then 1 else -1 end`;
  await sql`update migrations set "ranAt" = ${moved} where name = '0001-initial'`.execute(db);
  return true;
}

import { sql } from "kysely";
import { isMigrated } from "./migrate.ts";
import type { Db } from "./open.ts";

const CHECK_EVERY_MS = 1_000;

/**
 * Whether the database can be worked with: every migration has run, and a write is taken (a full or broken disk still
 * reads). Asked by anybody, so it writes once a second at most. The returned function rejects when the database does not
 * answer or does not write.
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
  // By a millisecond and back: a row that does not change is not written.
  const moved = sql`"ranAt" + case when "ranAt" % 2 = 0 then 1 else -1 end`;
  await sql`update migrations set "ranAt" = ${moved} where name = '0001-initial'`.execute(db);
  return true;
}

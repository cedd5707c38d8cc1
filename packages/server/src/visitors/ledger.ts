import type { Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { ErasureLedgerRow, VisitorErasureRow } from "../db/tables/visitors.ts";
import type { Tables } from "../db/tables.ts";

type Executor = Db | Transaction<Tables>;

/** Records an erasure before it happens, so that a restore also finishes an interrupted one. The latest time counts. */
export async function recordErasure(db: Executor, row: ErasureLedgerRow): Promise<void> {
  await db
    .insertInto("erasureLedger")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["organizationId", "kind", "hash"])
        .doUpdateSet({ erasedAt: row.erasedAt })
        .where("erasureLedger.erasedAt", "<", row.erasedAt),
    )
    .execute();
}

export async function insertReceipt(db: Executor, row: VisitorErasureRow): Promise<void> {
  await db.insertInto("visitorErasures").values(row).execute();
}

/**
 * The ledger of a database. Empty when the database is empty or predates the ledger.
 * @throws when it cannot be read, because a restore without it would bring back erased visitors
 */
export async function readLedger(db: Db): Promise<ErasureLedgerRow[]> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "erasureLedger")) return [];
  return db.selectFrom("erasureLedger").selectAll().execute();
}

/** Adds entries to the ledger, except those of organizations that the database does not have. */
export async function addToLedger(db: Db, rows: readonly ErasureLedgerRow[]): Promise<void> {
  const known = new Set((await db.selectFrom("organizations").select("id").execute()).map(({ id }) => id));
  for (const row of rows) if (known.has(row.organizationId)) await recordErasure(db, row);
}

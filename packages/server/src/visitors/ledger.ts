import type { Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { Tables } from "../db/tables.ts";
import type { ErasureLedgerRow, VisitorErasureRow } from "../db/visitor-tables.ts";

type Executor = Db | Transaction<Tables>;

/** Records that something was erased, before it is: an erasure that is interrupted is finished by a restore, too. */
export async function recordErasure(db: Executor, row: ErasureLedgerRow): Promise<void> {
  await db
    .insertInto("erasureLedger")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["organizationId", "kind", "hash"]).doUpdateSet({ erasedAt: row.erasedAt }),
    )
    .execute();
}

export async function insertReceipt(db: Executor, row: VisitorErasureRow): Promise<void> {
  await db.insertInto("visitorErasures").values(row).execute();
}

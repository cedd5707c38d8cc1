import { sql } from "kysely";
import type { Db } from "../db/open.ts";
import { inTransaction } from "../db/transaction.ts";

/**
 * The owner of a mailbox takes over the user that somebody made with its address and never proved: passwords, other ways
 * to sign in, sessions and API keys of before end. Does nothing for a proven user.
 */
export async function forgetUnproven(db: Db, userId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const result = await trx
      .updateTable("users")
      .set({ emailVerified: sql`true`, updatedAt: new Date().toISOString() })
      .where("id", "=", userId)
      .where("emailVerified", "=", sql<boolean>`false`)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return;
    await trx.deleteFrom("identities").where("userId", "=", userId).execute();
    await trx.deleteFrom("sessions").where("userId", "=", userId).execute();
    await trx.deleteFrom("apiKeys").where("createdBy", "=", userId).execute();
  });
}

/** Other processes take such a key for up to 5 s more, as with any revocation. */
export async function deleteKeysMadeBy(db: Db, userId: string): Promise<void> {
  await db.deleteFrom("apiKeys").where("createdBy", "=", userId).execute();
}

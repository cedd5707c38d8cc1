import { sql, type Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";

/**
 * The owner of a mailbox takes over the user that somebody made with its address and never proved: passwords, other ways
 * to sign in, sessions and API keys of before end. Does nothing for a proven user.
 */
export async function purgeUnverified(db: Db, userId: string): Promise<void> {
  await inTransaction(db, (trx) => purgeUnverifiedWithin(trx, userId));
}

/** The same as a part of a transaction, which nobody else does to the user meanwhile. @returns false for a proven user */
export async function purgeUnverifiedWithin(trx: Transaction<Tables>, userId: string): Promise<boolean> {
  const result = await trx
    .updateTable("users")
    .set({ emailVerified: sql`true`, updatedAt: new Date().toISOString() })
    .where("id", "=", userId)
    .where("emailVerified", "=", sql<boolean>`false`)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await trx.deleteFrom("identities").where("userId", "=", userId).execute();
  await trx.deleteFrom("sessions").where("userId", "=", userId).execute();
  await trx.deleteFrom("apiKeys").where("createdBy", "=", userId).execute();
  return true;
}

/** Other processes take such a key for up to 5 s more, as with any revocation. */
export async function deleteKeysMadeBy(db: Db, userId: string): Promise<void> {
  await db.deleteFrom("apiKeys").where("createdBy", "=", userId).execute();
}

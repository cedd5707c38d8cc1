import { sql, type Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";

/**
 * Marks a user as verified and deletes all passwords, identities, sessions and API keys created before: a stranger may
 * have signed up with the address. Does nothing for a verified user.
 */
export async function purgeUnverified(db: Db, userId: string): Promise<void> {
  await inTransaction(db, (trx) => purgeUnverifiedWithin(trx, userId));
}

/** `purgeUnverified` within a transaction. @returns false for a verified user */
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

/** Other processes accept such a key for up to 5 s, as after any revocation. */
export async function deleteKeysCreatedBy(db: Db, userId: string): Promise<void> {
  await db.deleteFrom("apiKeys").where("createdBy", "=", userId).execute();
}

import type { Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { Tables } from "../../db/tables.ts";

/**
 * Until the transaction ends nobody else changes who may do what in the organization: so two owners who make each other
 * members do it one after the other, and one of them stays an owner.
 */
export async function lockMembers(trx: Transaction<Tables>, organizationId: string): Promise<void> {
  await trx
    .updateTable("organizations")
    .set((eb) => ({ slug: eb.ref("slug") }))
    .where("id", "=", organizationId)
    .execute();
}

/** The role that somebody has there now, as the database has it; undefined for none. */
export async function roleIn(db: Db, organizationId: string, userId: string): Promise<string | undefined> {
  const own = db.selectFrom("members").select("role").where("organizationId", "=", organizationId);
  return (await own.where("userId", "=", userId).executeTakeFirst())?.role;
}

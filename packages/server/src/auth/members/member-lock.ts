import type { Transaction } from "kysely";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { Tables } from "../../db/tables.ts";

/**
 * Serializes changes to roles in the organization until the transaction ends. Without the lock, two owners who demote
 * each other at the same time would leave the organization without an owner.
 */
export async function lockMembers(trx: Transaction<Tables>, organizationId: string): Promise<void> {
  await lockRow(trx, "organizations", organizationId);
}

/** The stored role of a user in the organization, or undefined when they are not a member. */
export async function readRole(db: Db, organizationId: string, userId: string): Promise<string | undefined> {
  const own = db.selectFrom("members").select("role").where("organizationId", "=", organizationId);
  return (await own.where("userId", "=", userId).executeTakeFirst())?.role;
}

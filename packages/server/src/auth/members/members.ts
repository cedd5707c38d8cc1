import type { Db } from "../../db/open.ts";

/** True when every one of these users belongs to the account. */
export async function areMembers(db: Db, organizationId: string, userIds: readonly string[]): Promise<boolean> {
  const wanted = [...new Set(userIds)];
  const rows = await db
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("userId", "in", wanted)
    .execute();
  return rows.length === wanted.length;
}

/** The address of a user who belongs to the account, or undefined when nobody with this id does (any more). */
export async function memberEmail(db: Db, organizationId: string, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select("users.email")
    .where("members.organizationId", "=", organizationId)
    .where("members.userId", "=", userId)
    .executeTakeFirst();
  return row?.email;
}

/** The users who own the account. */
export function selectOwners(db: Db, organizationId: string) {
  return db
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("role", "=", "owner")
    .orderBy("userId");
}

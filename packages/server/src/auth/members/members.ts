import type { Db } from "../../db/open.ts";

/** Whether all of these users belong to the organization. */
export async function areMembers(db: Db, organizationId: string, userIds: readonly string[]): Promise<boolean> {
  const ids = [...new Set(userIds)];
  const rows = await db
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("userId", "in", ids)
    .execute();
  return rows.length === ids.length;
}

/** The email address of a member, or undefined when the user is not (or no longer) a member. */
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

export function selectOwners(db: Db, organizationId: string) {
  return db
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("role", "=", "owner")
    .orderBy("userId");
}

import type { Db } from "../db/open.ts";

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

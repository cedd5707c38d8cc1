import type { Transaction } from "kysely";
import type { DatabaseKind } from "../../db/database-kind.ts";
import type { Db } from "../../db/open.ts";
import type { Tables } from "../../db/tables.ts";

/** Whether all of these users belong to the organization. */
export async function areMembers(db: Db, organizationId: string, userIds: readonly string[]): Promise<boolean> {
  return (await findMembers(db, organizationId, userIds)).size === new Set(userIds).size;
}

/** Those of the users who belong to the organization. */
export async function findMembers(
  db: Pick<Db, "selectFrom">,
  organizationId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("userId", "in", [...new Set(userIds)])
    .execute();
  return new Set(rows.map(({ userId }) => userId));
}

/**
 * Whether the user belongs to the organization. The result holds until the transaction ends, because a concurrent
 * removal waits for it. Lock the member before any conversation, in the same order as the removal. SQLite runs only one
 * transaction at a time.
 */
export async function isMemberUntilCommit(
  trx: Transaction<Tables>,
  databaseKind: DatabaseKind,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<boolean> {
  const row = await trx
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .$if(databaseKind === "postgres", (query) => query.forKeyShare())
    .executeTakeFirst();
  return row !== undefined;
}

/** The email address of a member, or undefined when the user is not (or no longer) a member. */
export async function findMemberEmail(db: Db, organizationId: string, userId: string): Promise<string | undefined> {
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

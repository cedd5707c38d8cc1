import { sql } from "kysely";
import type { Db } from "../../db/open.ts";
import type { PendingLinkRow } from "../../db/tables.ts";

export async function insertLink(db: Db, link: PendingLinkRow): Promise<void> {
  await db.insertInto("pendingLinks").values(link).execute();
}

/**
 * The links of an organization's people that are still good, newest first. Whoever follows one acts as its user
 * everywhere, so the links of people who belong to another organization too are not among them. To follow a sign-in link
 * proves its address: where anybody can become an owner (`openSignUp`), it must be proven already, or they would prove
 * addresses of others to themselves.
 */
export async function linksFor(
  db: Db,
  organizationId: string,
  now: number,
  { openSignUp }: { openSignUp: boolean },
): Promise<PendingLinkRow[]> {
  const links = db
    .selectFrom("pendingLinks")
    .selectAll()
    .where("expiresAt", ">", now)
    .where(({ eb, exists, not, or, selectFrom }) => {
      const memberships = selectFrom("members")
        .innerJoin("users", "users.id", "members.userId")
        .select("members.id")
        .whereRef("users.email", "=", "pendingLinks.email");
      const invitations = selectFrom("invitations")
        .select("invitations.id")
        .whereRef("invitations.email", "=", "pendingLinks.email")
        .where("invitations.status", "=", "pending");
      const ours = (query: typeof memberships) => query.where("members.organizationId", "=", organizationId);
      const theirs = (query: typeof memberships) => query.where("members.organizationId", "!=", organizationId);
      return or([
        eb.and([exists(ours(memberships)), not(exists(theirs(memberships)))]),
        // Somebody new, who has come nowhere yet and is invited here alone.
        eb.and([
          not(exists(memberships)),
          exists(invitations.where("invitations.organizationId", "=", organizationId)),
          not(exists(invitations.where("invitations.organizationId", "!=", organizationId))),
        ]),
      ]);
    })
    .orderBy("id", "desc")
    .limit(100);
  if (!openSignUp) return links.execute();
  return links
    .where(({ eb, exists, or, selectFrom }) => {
      const proven = selectFrom("users")
        .select("users.id")
        .whereRef("users.email", "=", "pendingLinks.email")
        .where("users.emailVerified", "=", sql<boolean>`true`);
      return or([eb("kind", "!=", "sign-in"), exists(proven)]);
    })
    .execute();
}

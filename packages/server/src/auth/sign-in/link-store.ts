import { sql } from "kysely";
import type { Db } from "../../db/open.ts";
import type { PendingLinkRow } from "../../db/tables/sign-in.ts";

export async function insertLink(db: Db, link: PendingLinkRow): Promise<void> {
  await db.insertInto("pendingLinks").values(link).execute();
}

/**
 * The unexpired links of an organization's members and invited users, newest first. Following a link signs in as its
 * user everywhere, so users who also belong to another organization are excluded. Following a sign-in link also
 * verifies its address. With `openSignUp` anyone can become an owner, so sign-in links are then limited to verified
 * addresses: an owner must not be able to verify someone else's address.
 */
export async function listLinks(
  db: Db,
  { organizationId, openSignUp }: { organizationId: string; openSignUp: boolean },
): Promise<PendingLinkRow[]> {
  const links = db
    .selectFrom("pendingLinks")
    .selectAll()
    .where("expiresAt", ">", Date.now())
    .where(({ eb, exists, not, or, selectFrom }) => {
      const memberships = selectFrom("members")
        .innerJoin("users", "users.id", "members.userId")
        .select("members.id")
        .whereRef("users.email", "=", "pendingLinks.email");
      const invitations = selectFrom("invitations")
        .select("invitations.id")
        .whereRef("invitations.email", "=", "pendingLinks.email")
        .where("invitations.status", "=", "pending");
      const inOrganization = (query: typeof memberships) => query.where("members.organizationId", "=", organizationId);
      const inOtherOrganizations = (query: typeof memberships) =>
        query.where("members.organizationId", "!=", organizationId);
      return or([
        eb.and([exists(inOrganization(memberships)), not(exists(inOtherOrganizations(memberships)))]),
        // A new user who belongs to no organization and is invited to this one only.
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
      const verified = selectFrom("users")
        .select("users.id")
        .whereRef("users.email", "=", "pendingLinks.email")
        .where("users.emailVerified", "=", sql<boolean>`true`);
      return or([eb("kind", "!=", "sign-in"), exists(verified)]);
    })
    .execute();
}

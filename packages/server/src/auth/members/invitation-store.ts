import { isAtLeast, toRole } from "@foyer/contract/rules/roles";
import { sql } from "kysely";
import type { Db } from "../../db/open.ts";
import type { InvitationRow } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import { newId } from "../../ids.ts";
import { lockMembers, roleIn } from "./member-lock.ts";

type NewInvitation = Pick<InvitationRow, "id" | "organizationId" | "email" | "role" | "inviterId"> & {
  createdAt: string;
  expiresAt: string;
};

const now = () => new Date().toISOString();

const open = (db: Db) => db.selectFrom("invitations").where("status", "=", "pending").where("expiresAt", ">", now());

/** True while anybody waits for this address. */
export async function hasInvitation(db: Db, email: string): Promise<boolean> {
  return (await open(db).select("id").where("email", "=", email.toLowerCase()).executeTakeFirst()) !== undefined;
}

/**
 * In place of an earlier one for the same address. By the role that the inviter has at this moment: only owners invite
 * owners, or replace what invites one.
 */
export async function insertInvitation(
  db: Db,
  invitation: NewInvitation,
): Promise<"done" | "member" | "forbidden" | "no admin"> {
  const { organizationId, email, inviterId } = invitation;
  return inTransaction(db, async (trx) => {
    await lockMembers(trx, organizationId);
    const inviter = await roleIn(trx, organizationId, inviterId);
    if (!mayInvite(inviter, "member")) return "no admin";
    if (!mayInvite(inviter, invitation.role)) return "forbidden";
    const member = await trx
      .selectFrom("members")
      .innerJoin("users", "users.id", "members.userId")
      .select("members.id")
      .where("members.organizationId", "=", organizationId)
      .where("users.email", "=", email)
      .executeTakeFirst();
    if (member) return "member";
    const earlier = open(trx).where("organizationId", "=", organizationId).where("email", "=", email);
    if (!mayInvite(inviter, "owner") && (await earlier.select("id").where("role", "=", "owner").executeTakeFirst()))
      return "forbidden";
    await trx
      .updateTable("invitations")
      .set({ status: "canceled" })
      .where("organizationId", "=", organizationId)
      .where("email", "=", email)
      .where("status", "=", "pending")
      .execute();
    await trx
      .insertInto("invitations")
      .values({ ...invitation, status: "pending" })
      .execute();
    return "done";
  });
}

export async function openInvitations(db: Db, organizationId: string) {
  return open(db).selectAll().where("organizationId", "=", organizationId).orderBy("id", "desc").execute();
}

/** How many invitations an organization sent since an instant, whatever became of them, and how old it is. */
export async function countInvitationsSince(db: Db, organizationId: string, since: string) {
  return db
    .selectFrom("organizations")
    .select("organizations.createdAt as organizationCreatedAt")
    .select(({ selectFrom }) =>
      selectFrom("invitations")
        .select(sql<number>`cast(count(*) as bigint)`.as("n"))
        .where("invitations.organizationId", "=", organizationId)
        .where("invitations.createdAt", ">=", since)
        .$asScalar()
        .$notNull()
        .as("count"),
    )
    .where("organizations.id", "=", organizationId)
    .executeTakeFirstOrThrow();
}

/** An invitation that can still be accepted, with the name of its organization. */
export async function findInvitation(db: Db, id: string) {
  return open(db)
    .innerJoin("organizations", "organizations.id", "invitations.organizationId")
    .select(["invitations.id", "invitations.email", "invitations.role", "organizations.name as organizationName"])
    .where("invitations.id", "=", id)
    .executeTakeFirst();
}

/** Those of owners only `byOwner`. @returns false when the account has no such invitation open */
export async function cancelInvitation(db: Db, organizationId: string, id: string, byOwner: boolean): Promise<boolean> {
  const result = await db
    .updateTable("invitations")
    .set({ status: "canceled" })
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .where("status", "=", "pending")
    .$if(!byOwner, (query) => query.where("role", "!=", "owner"))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** An admin, but for owners, whom only owners invite. */
function mayInvite(inviter: string | undefined, role: string): boolean {
  return inviter !== undefined && isAtLeast(toRole(inviter), role === "owner" ? "owner" : "admin");
}

/** Makes the user a member, once, if the inviter may still invite. @returns the organization's id, or null when no such invitation is open for the address */
export async function acceptInvitation(
  db: Db,
  id: string,
  user: { id: string; email: string },
): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const known = await trx.selectFrom("invitations").select("organizationId").where("id", "=", id).executeTakeFirst();
    if (!known) return null;
    await lockMembers(trx, known.organizationId);
    const invitation = await open(trx)
      .select(["organizationId", "role", "inviterId"])
      .where("id", "=", id)
      .where("email", "=", user.email)
      .executeTakeFirst();
    if (!invitation) return null;
    const { organizationId, role, inviterId } = invitation;
    if (!mayInvite(await roleIn(trx, organizationId, inviterId), role)) return null;
    await trx.updateTable("invitations").set({ status: "accepted" }).where("id", "=", id).execute();
    await trx
      .insertInto("members")
      .values({ id: newId("member"), organizationId, userId: user.id, role, createdAt: now() })
      .onConflict((conflict) => conflict.columns(["organizationId", "userId"]).doNothing())
      .execute();
    return organizationId;
  });
}

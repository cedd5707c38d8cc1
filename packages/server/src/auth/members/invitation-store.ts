import { isAtLeast, toRole } from "@foyer/contract/rules/roles";
import { sql, type Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { InvitationRow } from "../../db/tables/sign-in.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import { newId } from "../../ids.ts";
import { lockMembers, readRole } from "./member-lock.ts";

type NewInvitation = Pick<InvitationRow, "id" | "organizationId" | "email" | "role" | "inviterId"> & {
  createdAt: string;
  expiresAt: string;
};

const nowIso = () => new Date().toISOString();

const selectPending = (db: Db) =>
  db.selectFrom("invitations").where("status", "=", "pending").where("expiresAt", ">", nowIso());

/** Whether any organization has a pending invitation for this address. */
export async function hasInvitation(db: Db, email: string): Promise<boolean> {
  return (
    (await selectPending(db).select("id").where("email", "=", email.toLowerCase()).executeTakeFirst()) !== undefined
  );
}

/**
 * Inserts an invitation and cancels earlier ones for the same address. Checks the inviter's current role: only owners
 * can invite owners, or replace an invitation for an owner.
 */
export async function insertInvitation(
  db: Db,
  invitation: NewInvitation,
): Promise<"done" | "member" | "forbidden" | "no admin"> {
  const { organizationId, email, inviterId } = invitation;
  return inTransaction(db, async (trx) => {
    await lockMembers(trx, organizationId);
    const inviter = await readRole(trx, organizationId, inviterId);
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
    const earlier = selectPending(trx).where("organizationId", "=", organizationId).where("email", "=", email);
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
  return selectPending(db).selectAll().where("organizationId", "=", organizationId).orderBy("id", "desc").execute();
}

/**
 * Counts the invitations that an organization created since an instant, in any status, and returns the organization's
 * age.
 */
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

/** A pending invitation with the name of its organization. */
export async function findInvitation(db: Db, id: string) {
  return selectPending(db)
    .innerJoin("organizations", "organizations.id", "invitations.organizationId")
    .select(["invitations.id", "invitations.email", "invitations.role", "organizations.name as organizationName"])
    .where("invitations.id", "=", id)
    .executeTakeFirst();
}

/**
 * Only an owner (`byOwner`) can cancel an invitation for an owner. @returns false when no such invitation is pending
 */
export async function cancelInvitation(
  db: Db,
  { organizationId, id, byOwner }: { organizationId: string; id: string; byOwner: boolean },
): Promise<boolean> {
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

/** Admins can invite anyone except owners, whom only owners can invite. */
function mayInvite(inviter: string | undefined, role: string): boolean {
  return inviter !== undefined && isAtLeast(toRole(inviter), role === "owner" ? "owner" : "admin");
}

/**
 * Makes the user a member if the inviter is still allowed to invite them.
 * @returns the organization's id, or null when no such invitation is pending for the user's address
 */
export async function acceptInvitation(db: Db, id: string, user: InvitedUser): Promise<string | null> {
  return inTransaction(db, (trx) => acceptInvitationWithin(trx, id, user));
}

type InvitedUser = { id: string; email: string };

/** `acceptInvitation` within a transaction. */
export async function acceptInvitationWithin(
  trx: Transaction<Tables>,
  id: string,
  user: InvitedUser,
): Promise<string | null> {
  const found = await trx.selectFrom("invitations").select("organizationId").where("id", "=", id).executeTakeFirst();
  if (!found) return null;
  await lockMembers(trx, found.organizationId);
  const invitation = await selectPending(trx)
    .select(["organizationId", "role", "inviterId"])
    .where("id", "=", id)
    .where("email", "=", user.email)
    .executeTakeFirst();
  if (!invitation) return null;
  const { organizationId, role, inviterId } = invitation;
  if (!mayInvite(await readRole(trx, organizationId, inviterId), role)) return null;
  await trx.updateTable("invitations").set({ status: "accepted" }).where("id", "=", id).execute();
  await trx
    .insertInto("members")
    .values({ id: newId("member"), organizationId, userId: user.id, role, createdAt: nowIso() })
    .onConflict((conflict) => conflict.columns(["organizationId", "userId"]).doNothing())
    .execute();
  return organizationId;
}

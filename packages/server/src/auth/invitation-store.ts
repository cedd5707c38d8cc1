import type { Db } from "../db/open.ts";
import type { InvitationRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { newId } from "../ids.ts";

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

/** In place of an earlier one for the same address, which must not be an owner's unless `byOwner`. */
export async function insertInvitation(
  db: Db,
  invitation: NewInvitation,
  byOwner: boolean,
): Promise<"done" | "member" | "forbidden"> {
  const { organizationId, email } = invitation;
  return inTransaction(db, async (trx) => {
    const member = await trx
      .selectFrom("members")
      .innerJoin("users", "users.id", "members.userId")
      .select("members.id")
      .where("members.organizationId", "=", organizationId)
      .where("users.email", "=", email)
      .executeTakeFirst();
    if (member) return "member";
    const earlier = open(trx).where("organizationId", "=", organizationId).where("email", "=", email);
    if (!byOwner && (await earlier.select("id").where("role", "=", "owner").executeTakeFirst())) return "forbidden";
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

/** Makes the user a member, once. @returns the organization's id, or null when no such invitation is open for the address */
export async function acceptInvitation(
  db: Db,
  id: string,
  user: { id: string; email: string },
): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const invitation = await trx
      .updateTable("invitations")
      .set({ status: "accepted" })
      .where("id", "=", id)
      .where("email", "=", user.email)
      .where("status", "=", "pending")
      .where("expiresAt", ">", now())
      .returning(["organizationId", "role"])
      .executeTakeFirst();
    if (!invitation) return null;
    const { organizationId, role } = invitation;
    await trx
      .insertInto("members")
      .values({ id: newId("member"), organizationId, userId: user.id, role, createdAt: now() })
      .onConflict((conflict) => conflict.columns(["organizationId", "userId"]).doNothing())
      .execute();
    return organizationId;
  });
}

import type { Role } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import { lockMembers } from "./member-lock.ts";

const selectMembers = (db: Db, organizationId: string) =>
  db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select(["users.id", "users.name", "users.email", "members.role", "members.createdAt"])
    .where("members.organizationId", "=", organizationId);

/** Ordered by the time of joining. */
export async function listMembers(db: Db, organizationId: string) {
  return selectMembers(db, organizationId).orderBy("members.id").execute();
}

export async function findMember(db: Db, organizationId: string, userId: string) {
  return selectMembers(db, organizationId).where("members.userId", "=", userId).executeTakeFirst();
}

type Change = { organizationId: string; userId: string };
/** Called in the transaction that removes a member, so that other resources can delete their data about the member. */
export type OnMemberRemoved = (trx: Transaction<Tables>, member: Change) => Promise<void>;
type Outcome = "done" | "unknown" | "forbidden" | "last owner";

/**
 * Changes a member's role, or removes the member when `role` is null. Removing also deletes their sessions and API keys
 * in this organization, but nothing else that they created. `canChange` decides by the member's current role.
 */
export async function changeMember(
  db: Db,
  { organizationId, userId, role }: Change & { role: Role | null },
  { canChange, onMemberRemoved }: { canChange: (current: string) => boolean; onMemberRemoved: OnMemberRemoved },
): Promise<Outcome> {
  return inTransaction(db, async (trx) => {
    await lockMembers(trx, organizationId);
    const member = await findMember(trx, organizationId, userId);
    if (!member) return "unknown";
    if (!canChange(member.role)) return "forbidden";
    if (member.role === "owner" && role !== "owner" && (await countOwners(trx, organizationId)) < 2)
      return "last owner";
    if (role !== "owner") await cancelInvitationsBy(trx, { organizationId, userId }, role);
    if (role !== null) {
      await trx
        .updateTable("members")
        .set({ role })
        .where("organizationId", "=", organizationId)
        .where("userId", "=", userId)
        .execute();
      return "done";
    }
    await trx.deleteFrom("members").where("organizationId", "=", organizationId).where("userId", "=", userId).execute();
    await trx
      .deleteFrom("sessions")
      .where("userId", "=", userId)
      .where("activeOrganizationId", "=", organizationId)
      .execute();
    await trx
      .deleteFrom("apiKeys")
      .where("organizationId", "=", organizationId)
      .where("createdBy", "=", userId)
      .execute();
    await onMemberRemoved(trx, { organizationId, userId });
    return "done";
  });
}

/**
 * Cancels the invitations that the user's new role does not allow, so that the user cannot accept one of their own to
 * regain access.
 */
async function cancelInvitationsBy(trx: Transaction<Tables>, { organizationId, userId }: Change, role: Role | null) {
  await trx
    .updateTable("invitations")
    .set({ status: "canceled" })
    .where("organizationId", "=", organizationId)
    .where("inviterId", "=", userId)
    .where("status", "=", "pending")
    .$if(role === "admin", (query) => query.where("role", "=", "owner"))
    .execute();
}

async function countOwners(trx: Transaction<Tables>, organizationId: string) {
  const { count } = await trx
    .selectFrom("members")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("organizationId", "=", organizationId)
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow();
  return Number(count);
}

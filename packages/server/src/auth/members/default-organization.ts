import type { Config } from "../../config.ts";
import type { Db } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { defaultOrganizationName, insertOrganization } from "../account-store.ts";
import { hasInvitation } from "./invitation-store.ts";

/**
 * Where a new session begins: in the organization that its user joined first. On a server that is open to all, who comes
 * without an invitation gets one of their own. Null for who has to accept an invitation first.
 */
export async function defaultOrganizationOf(
  db: Db,
  { openSignUp, defaultPlan }: Pick<Config, "openSignUp" | "defaultPlan">,
  userId: string,
): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const find = () =>
      trx
        .selectFrom("members")
        .select("organizationId")
        .where("userId", "=", userId)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
    const known = await find();
    if (known || !openSignUp) return known?.organizationId ?? null;
    // Locks the user, so that two browsers that come at once do not make two.
    const updatedAt = new Date().toISOString();
    const user = await trx
      .updateTable("users")
      .set({ updatedAt })
      .where("id", "=", userId)
      .returning("email")
      .executeTakeFirst();
    const made = await find();
    if (!user || made) return made?.organizationId ?? null;
    if (await hasInvitation(trx, user.email)) return null;
    return insertOrganization(trx, { userId, name: defaultOrganizationName, plan: defaultPlan });
  });
}

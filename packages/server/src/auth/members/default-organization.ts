import type { Config } from "../../config.ts";
import type { Db } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { defaultOrganizationName, insertOrganization } from "../account-store.ts";
import { hasInvitation } from "./invitation-store.ts";

/**
 * Returns the organization in which a new session starts: the one that the user joined first. With open sign-up, a user
 * without an organization or invitation gets a new organization. Returns null for a user who has to accept an
 * invitation first.
 */
export async function ensureDefaultOrganization(
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
    const existing = await find();
    if (existing || !openSignUp) return existing?.organizationId ?? null;
    // Locks the user's row, so that concurrent first sign-ins do not create two organizations.
    const updatedAt = new Date().toISOString();
    const user = await trx
      .updateTable("users")
      .set({ updatedAt })
      .where("id", "=", userId)
      .returning("email")
      .executeTakeFirst();
    const created = await find();
    if (!user || created) return created?.organizationId ?? null;
    if (await hasInvitation(trx, user.email)) return null;
    return insertOrganization(trx, { userId, name: defaultOrganizationName, plan: defaultPlan });
  });
}

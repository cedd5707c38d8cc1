import type { Config } from "../config.ts";
import { isDuplicate } from "../db/database-errors.ts";
import type { Db } from "../db/open.ts";
import { createAccount, findMember, findUser, setPassword } from "./account-store.ts";
import { insertKey } from "./api-key-store.ts";

/** Creates or updates the owner that the environment names; the same again changes nothing. */
export async function ensureAdmin(db: Db, { admin }: Pick<Config, "admin">): Promise<void> {
  if (!admin) return;
  const { email, password, apiKey } = admin;
  const known = await findMember(db, email);
  const user = known ? undefined : await findUser(db, email);
  // The other owners removed them from the organization; the server starts all the same, and leaves it at that.
  if (user) return setPassword(db, user.id, password);
  const member = known ?? (await createOrFind(db, email, password));
  if (known) await setPassword(db, member.userId, password);
  if (!apiKey) return;
  const { organizationId, userId: createdBy } = member;
  try {
    await insertKey(db, { organizationId, createdBy, name: "FOYER_ADMIN_API_KEY", key: apiKey, expiresAt: null });
  } catch (error) {
    // Another process that starts at the same time was faster.
    if (!isDuplicate(error)) throw error;
  }
}

async function createOrFind(db: Db, email: string, password: string) {
  try {
    return await createAccount(db, { email, password, plan: "pro" });
  } catch (error) {
    const member = isDuplicate(error) ? await findMember(db, email) : undefined;
    if (!member) throw error;
    return member;
  }
}

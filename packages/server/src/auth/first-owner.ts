import type { Db } from "../db/open.ts";
import { createAccount, hasAccounts } from "./account-store.ts";
import { generateKey } from "./api-key-format.ts";
import { insertKey } from "./api-key-store.ts";

/** The owner of an empty server, on the plan pro, with an API key to be shown once; null when there is an account. */
export async function createFirstOwner(
  db: Db,
  { email, password }: { email: string; password: string },
): Promise<{ organizationId: string; apiKey: string } | null> {
  if (await hasAccounts(db)) return null;
  const { userId, organizationId } = await createAccount(db, { email, password, plan: "pro" });
  const apiKey = generateKey();
  await insertKey(db, { organizationId, createdBy: userId, name: "Set-up", key: apiKey, expiresAt: null });
  return { organizationId, apiKey };
}

/** True while nobody owns this server. */
export async function isWithoutOwner(db: Db): Promise<boolean> {
  return !(await hasAccounts(db));
}

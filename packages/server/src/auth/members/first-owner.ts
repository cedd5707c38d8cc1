import type { Db } from "../../db/open.ts";
import { createAccount, hasAccounts } from "../account-store.ts";
import { generateKey } from "../api-keys/key-format.ts";
import { insertKey } from "../api-keys/store.ts";

const KEY_NAME = "Setup";

type NewOwner = { email: string; password: string; name: string; organizationName?: string };
type FirstOwner = { organizationId: string; userId: string; key: { id: string; name: string; text: string } };

/**
 * Creates the first owner, on the `pro` plan, with an API key to show once. @returns null when a user already exists
 */
export async function createFirstOwner(db: Db, owner: NewOwner): Promise<FirstOwner | null> {
  if (await hasAccounts(db)) return null;
  const { userId, organizationId } = await createAccount(db, { ...owner, plan: "pro" });
  const text = generateKey();
  const id = await insertKey(db, { organizationId, createdBy: userId, name: KEY_NAME, key: text, expiresAt: null });
  return { organizationId, userId, key: { id, name: KEY_NAME, text } };
}

export async function isWithoutOwner(db: Db): Promise<boolean> {
  return !(await hasAccounts(db));
}

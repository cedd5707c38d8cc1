import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { isDuplicate } from "../../db/database-errors.ts";
import type { Db } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import {
  createAccount,
  defaultOrganizationName,
  findMember,
  findUser,
  insertOrganization,
  type Member,
  setPassword,
} from "../account-store.ts";
import { deleteEnvironmentKeys, insertKey } from "../api-keys/store.ts";
import { purgeUnverifiedWithin } from "./unverified-user.ts";

type Parts = { db: Db; log: Pick<Logger, "warn"> };
type Admin = NonNullable<Config["admin"]>;

/**
 * Creates or updates the owner that the environment specifies. FOYER_ADMIN_API_KEY becomes the only key from the
 * environment, so keys from earlier values stop working. Idempotent.
 */
export async function ensureAdmin(parts: Parts, { admin }: Pick<Config, "admin">): Promise<void> {
  const member = admin && ((await create(parts.db, admin)) ?? (await update(parts, admin)));
  await replaceKey(parts, member, admin?.apiKey ?? null);
}

async function replaceKey({ db, log }: Parts, member: Member | null, key: string | null): Promise<void> {
  const current = member && key !== null ? { organizationId: member.organizationId, key } : null;
  if ((await deleteEnvironmentKeys(db, current)) > 0) {
    const reason = key === null ? "FOYER_ADMIN_API_KEY is not set" : "FOYER_ADMIN_API_KEY changed";
    log.warn(`${reason}; removed the API key created by an earlier start`);
  }
  if (!member || !current) return;
  const name = "FOYER_ADMIN_API_KEY";
  try {
    await insertKey(db, { ...current, createdBy: member.userId, name, expiresAt: null, isFromEnvironment: true });
  } catch (error) {
    // Another process that is starting at the same time has inserted the key first.
    if (!isDuplicate(error)) throw error;
  }
}

/** @returns null when the user exists, including when another process or a sign-up creates it concurrently */
async function create(db: Db, { email, password }: Admin): Promise<Member | null> {
  if (await findUser(db, email)) return null;
  try {
    return await createAccount(db, { email, password, plan: "pro" });
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/**
 * A user whose address was never verified may have been created by a stranger through open sign-up. Their credentials,
 * sessions and keys are deleted. @returns null for a verified user whom other owners removed from the organization; the
 * server starts without restoring the membership
 */
async function update({ db, log }: Parts, { email, password }: Admin): Promise<Member | null> {
  const user = await findUser(db, email);
  if (!user) throw new Error(`${email} was deleted while the server was starting`);
  if (await claimUnverified(db, user.id, email)) {
    log.warn(
      { userId: user.id },
      "FOYER_ADMIN_EMAIL belonged to an unverified sign-up; deleted its password, sessions and API keys",
    );
  }
  await setPassword(db, user.id, password);
  return (await findMember(db, email)) ?? null;
}

/**
 * Verifies the user and creates an organization in one transaction, because a verified user without an organization
 * counts as removed by other owners.
 */
function claimUnverified(db: Db, userId: string, email: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await purgeUnverifiedWithin(trx, userId))) return false;
    if (!(await findMember(trx, email))) {
      await insertOrganization(trx, { userId, name: defaultOrganizationName, plan: "pro" });
    }
    return true;
  });
}

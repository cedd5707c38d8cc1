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
 * Creates or updates the owner that the environment names, and makes FOYER_ADMIN_API_KEY its only key: one that an earlier
 * value created stops working. Running it again changes nothing.
 */
export async function ensureAdmin(parts: Parts, { admin }: Pick<Config, "admin">): Promise<void> {
  const member = admin && ((await create(parts.db, admin)) ?? (await update(parts, admin)));
  await replaceKey(parts, member, admin?.apiKey ?? null);
}

async function replaceKey({ db, log }: Parts, member: Member | null, key: string | null): Promise<void> {
  const current = member && key !== null ? { organizationId: member.organizationId, key } : null;
  if ((await deleteEnvironmentKeys(db, current)) > 0) {
    const why = key === null ? "FOYER_ADMIN_API_KEY is not set" : "FOYER_ADMIN_API_KEY changed";
    log.warn(`${why}; the key that an earlier start created was removed`);
  }
  if (!member || !current) return;
  const name = "FOYER_ADMIN_API_KEY";
  try {
    await insertKey(db, { ...current, createdBy: member.userId, name, expiresAt: null, isFromEnvironment: true });
  } catch (error) {
    // Another process that starts at the same time was faster.
    if (!isDuplicate(error)) throw error;
  }
}

/** Null when there is such a user, also one whom another process, or a stranger, makes at this moment. */
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
 * A user whose address was never proven is a stranger's, by open sign-up: their password, other ways to sign in, sessions
 * and keys end. Null for a proven one whom other owners removed: the server starts all the same, and leaves it at that.
 */
async function update({ db, log }: Parts, { email, password }: Admin): Promise<Member | null> {
  const user = await findUser(db, email);
  if (!user) throw new Error(`${email} was deleted while the server started`);
  if (await takeOver(db, user.id, email)) {
    log.warn({ userId: user.id }, "somebody had signed up with FOYER_ADMIN_EMAIL; their password and sessions ended");
  }
  await setPassword(db, user.id, password);
  return (await findMember(db, email)) ?? null;
}

/** Also gives the user an organization, all or nothing: once proven, one without was removed by others. */
function takeOver(db: Db, userId: string, email: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await purgeUnverifiedWithin(trx, userId))) return false;
    if (!(await findMember(trx, email))) {
      await insertOrganization(trx, { userId, name: defaultOrganizationName, plan: "pro" });
    }
    return true;
  });
}

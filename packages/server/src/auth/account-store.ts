import { sql, type Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { newId } from "../ids.ts";

/** Imported on first use, because a start that creates no account does not need it. */
const loadPasswordHashing = () => import("better-auth/crypto");

/** Without `organizationName` the organization gets the default name. Without `name` the user enters one later. */
export type NewAccount = { email: string; password: string; plan: string; name?: string; organizationName?: string };
export type Member = { userId: string; organizationId: string };

/** Creates a user with a password and an organization that the user owns. @throws when the email address is taken */
export async function createAccount(
  db: Db,
  { email, password, plan, name = "", organizationName = defaultOrganizationName }: NewAccount,
): Promise<Member> {
  const { hashPassword } = await loadPasswordHashing();
  const hash = await hashPassword(password);
  return db.transaction().execute(async (trx) => {
    // Only the operator creates accounts this way, so the address needs no verification.
    const userId = await insertVerifiedUser(trx, { email, name, hash });
    return { userId, organizationId: await insertOrganization(trx, { userId, name: organizationName, plan }) };
  });
}

/** Creates a user with a password and a verified address. @returns the id. @throws when the email address is taken */
export async function insertVerifiedUser(
  trx: Transaction<Tables>,
  { email, name, hash }: { email: string; name: string; hash: string },
): Promise<string> {
  const now = new Date().toISOString();
  const userId = newId("user");
  await trx
    .insertInto("users")
    .values({
      id: userId,
      name,
      email: email.toLowerCase(),
      image: null,
      createdAt: now,
      updatedAt: now,
      emailVerified: sql<boolean>`true`,
    })
    .execute();
  await trx
    .insertInto("identities")
    .values(toPasswordIdentity(userId, hash, now))
    .execute();
  return userId;
}

export const defaultOrganizationName = "My organization";

/** Creates an organization that the user owns. @returns its id */
export async function insertOrganization(
  db: Db,
  { userId, name, plan }: { userId: string; name: string; plan: string },
): Promise<string> {
  const id = newId("org");
  const createdAt = new Date().toISOString();
  await db
    .insertInto("organizations")
    .values({ id, name, slug: id, logo: null, metadata: null, plan, createdAt })
    .execute();
  await db
    .insertInto("members")
    .values({ id: newId("member"), organizationId: id, userId, role: "owner", createdAt })
    .execute();
  return id;
}

const emptyTokens = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
  scope: null,
};

/** A user's password identity. */
function toPasswordIdentity(userId: string, hash: string, now: string) {
  return {
    ...emptyTokens,
    id: newId("identity"),
    userId,
    providerId: "credential",
    accountId: userId,
    password: hash,
    createdAt: now,
    updatedAt: now,
  };
}

/** Finds the user with this email address and the organization that they joined first. */
export async function findMember(db: Db, email: string): Promise<Member | undefined> {
  return db
    .selectFrom("users")
    .innerJoin("members", "members.userId", "users.id")
    .select(["users.id as userId", "members.organizationId"])
    .where("users.email", "=", email.toLowerCase())
    .orderBy("members.id")
    .executeTakeFirst();
}

export async function findUser(db: Db, email: string) {
  return db
    .selectFrom("users")
    .select(["id", "emailVerified"])
    .where("email", "=", email.toLowerCase())
    .executeTakeFirst();
}

/** Does nothing when the user already has this password, so that a restart does not end sessions. */
export async function setPassword(db: Db, userId: string, password: string): Promise<void> {
  const identity = await db
    .selectFrom("identities")
    .select("password")
    .where("userId", "=", userId)
    .where("providerId", "=", "credential")
    .executeTakeFirst();
  const { hashPassword, verifyPassword } = await loadPasswordHashing();
  if (identity?.password && (await verifyPassword({ hash: identity.password, password }))) return;
  await writePassword(db, userId, { hash: await hashPassword(password) });
}

type NewPassword = {
  hash: string;
  /** the token of the only session to keep */
  keptSession?: string;
};

/**
 * Sets a password. The same transaction ends the user's sessions and deletes all sign-in and reset links that were sent
 * earlier, so that an earlier email that was leaked is worthless.
 */
export async function writePassword(db: Db, userId: string, password: NewPassword): Promise<void> {
  await inTransaction(db, (trx) => writePasswordWithin(trx, userId, password));
}

/** `writePassword` within a transaction. */
export async function writePasswordWithin(
  trx: Transaction<Tables>,
  userId: string,
  { hash, keptSession }: NewPassword,
): Promise<void> {
  const now = new Date().toISOString();
  const { numUpdatedRows } = await trx
    .updateTable("identities")
    .set({ password: hash, updatedAt: now })
    .where("userId", "=", userId)
    .where("providerId", "=", "credential")
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    await trx
      .insertInto("identities")
      .values(toPasswordIdentity(userId, hash, now))
      // Another process may insert the first password concurrently.
      .onConflict((conflict) =>
        conflict.columns(["providerId", "accountId"]).doUpdateSet({ password: hash, updatedAt: now }),
      )
      .execute();
  }
  await trx
    .deleteFrom("sessions")
    .where("userId", "=", userId)
    .$if(keptSession !== undefined, (query) => query.where("token", "!=", keptSession ?? ""))
    .execute();
  await deleteLinks(trx, userId);
}

/** better-auth stores the user's id as the value of a password reset, and JSON with the email address for a sign-in. */
async function deleteLinks(trx: Transaction<Tables>, userId: string): Promise<void> {
  const user = await trx.selectFrom("users").select("email").where("id", "=", userId).executeTakeFirst();
  if (!user) return;
  const signIn = `%"email":${JSON.stringify(user.email).replace(/[%_\\]/g, "\\$&")}%`;
  await trx
    .deleteFrom("verifications")
    .where(({ eb, or }) => or([eb("value", "=", userId), sql<boolean>`value like ${signIn} escape ${"\\"}`]))
    .execute();
  await trx.deleteFrom("pendingLinks").where("email", "=", user.email).execute();
}

/** @returns false when the organization does not exist */
export async function setPlan(db: Db, organizationId: string, plan: string): Promise<boolean> {
  const result = await db
    .updateTable("organizations")
    .set({ plan })
    .where("id", "=", organizationId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** @returns the renamed organization, or undefined when it does not exist */
export async function renameOrganization(db: Db, organizationId: string, name: string) {
  return db
    .updateTable("organizations")
    .set({ name })
    .where("id", "=", organizationId)
    .returning(["id", "name", "plan"])
    .executeTakeFirst();
}

export async function renameUser(db: Db, userId: string, name: string): Promise<void> {
  await db.updateTable("users").set({ name, updatedAt: new Date().toISOString() }).where("id", "=", userId).execute();
}

export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

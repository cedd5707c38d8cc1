import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import { newId } from "../ids.ts";
import { hashKey } from "./api-key-format.ts";

export type NewKey = {
  organizationId: string;
  createdBy: string | null;
  name: string;
  key: string;
  expiresAt: number | null;
};

export type KeyOwner = {
  keyId: string;
  name: string;
  organizationId: string;
  plan: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
};

/** Keeps the key's hash. The same key again for the same account changes nothing; for another one it throws. */
export async function insertKey(db: Db, { key, ...row }: NewKey): Promise<string> {
  const known = await db
    .selectFrom("apiKeys")
    .select(["id", "organizationId"])
    .where("hash", "=", hashKey(key))
    .executeTakeFirst();
  if (known?.organizationId === row.organizationId) return known.id;
  if (known) throw new Error("This API key belongs to another account already; choose another one.");
  const id = newId("key");
  await db
    .insertInto("apiKeys")
    .values({ ...row, id, hash: hashKey(key), start: key.slice(0, 8), createdAt: Date.now(), lastUsedAt: null })
    .execute();
  return id;
}

const ownerByHash = (db: Db) =>
  compileOnce<{ hash: string }, KeyOwner>((param) =>
    db
      .selectFrom("apiKeys")
      .innerJoin("organizations", "organizations.id", "apiKeys.organizationId")
      .select(["apiKeys.id as keyId", "apiKeys.name", "apiKeys.organizationId", "organizations.plan"])
      .select(["apiKeys.expiresAt", "apiKeys.lastUsedAt"])
      .where("apiKeys.hash", "=", param("hash")),
  );

/** A look-up of keys by hash on this database. */
export function keyLookup(db: Db): (hash: string) => Promise<KeyOwner | undefined> {
  const query = ownerByHash(db);
  return async (hash) => (await query(db, { hash })).rows[0];
}

export async function touchKey(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable("apiKeys").set({ lastUsedAt: now }).where("id", "=", id).execute();
}

export async function listKeys(db: Db, organizationId: string) {
  return db
    .selectFrom("apiKeys")
    .leftJoin("members", (join) =>
      join
        .onRef("members.organizationId", "=", "apiKeys.organizationId")
        .onRef("members.userId", "=", "apiKeys.createdBy"),
    )
    .leftJoin("users", "users.id", "members.userId")
    .select(["apiKeys.id", "apiKeys.name", "apiKeys.start", "apiKeys.createdAt", "apiKeys.lastUsedAt"])
    .select(["apiKeys.expiresAt", "users.name as memberName", "users.email as memberEmail"])
    .where("apiKeys.organizationId", "=", organizationId)
    .orderBy("apiKeys.id")
    .execute();
}

/** @returns false when the account has no such key */
export async function deleteKey(db: Db, organizationId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom("apiKeys")
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

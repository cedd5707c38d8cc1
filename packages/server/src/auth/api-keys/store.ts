import type { Role } from "@foyer/contract";
import { toRole } from "@foyer/contract/rules/roles";
import { compileOnce } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import { newId } from "../../ids.ts";
import { hashKey } from "./key-format.ts";

export type NewKey = {
  organizationId: string;
  createdBy: string | null;
  name: string;
  key: string;
  expiresAt: number | null;
  /** true for FOYER_ADMIN_API_KEY, whose row is deleted when the variable changes */
  isFromEnvironment?: boolean;
};

export type KeyOwner = {
  keyId: string;
  /** the current role of the member who created the key */
  role: Role;
  name: string;
  organizationId: string;
  plan: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
};

/** Stores the key's hash. Idempotent within an organization. @throws when another organization uses the same key */
export async function insertKey(db: Db, { key, isFromEnvironment = false, ...row }: NewKey): Promise<string> {
  const existing = await db
    .selectFrom("apiKeys")
    .select(["id", "organizationId"])
    .where("hash", "=", hashKey(key))
    .executeTakeFirst();
  if (existing?.organizationId === row.organizationId) return existing.id;
  if (existing) throw new Error("This API key already belongs to another organization. Choose another one.");
  const id = newId("key");
  await db
    .insertInto("apiKeys")
    .values({
      ...row,
      id,
      hash: hashKey(key),
      start: key.slice(0, 8),
      createdAt: Date.now(),
      lastUsedAt: null,
      isFromEnvironment: isFromEnvironment ? 1 : 0,
    })
    .execute();
  return id;
}

type StoredOwner = Omit<KeyOwner, "role"> & { createdBy: string | null; memberRole: string | null };

const ownerByHash = (db: Db) =>
  compileOnce<{ hash: string }, StoredOwner>((param) =>
    db
      .selectFrom("apiKeys")
      .innerJoin("organizations", "organizations.id", "apiKeys.organizationId")
      .leftJoin("members", (join) =>
        join
          .onRef("members.organizationId", "=", "apiKeys.organizationId")
          .onRef("members.userId", "=", "apiKeys.createdBy"),
      )
      .select(["apiKeys.id as keyId", "apiKeys.name", "apiKeys.organizationId", "organizations.plan"])
      .select(["apiKeys.expiresAt", "apiKeys.lastUsedAt", "apiKeys.createdBy", "members.role as memberRole"])
      .where("apiKeys.hash", "=", param("hash")),
  );

/**
 * Looks up keys by hash. A key has the current role of the member who created it, and stops working when that member
 * leaves the organization. A key without a creator acts as an owner.
 */
export function createKeyLookup(db: Db): (hash: string) => Promise<KeyOwner | undefined> {
  const query = ownerByHash(db);
  return async (hash) => {
    const row = (await query(db, { hash })).rows[0];
    if (!row) return undefined;
    const { createdBy, memberRole, ...owner } = row;
    if (createdBy !== null && memberRole === null) return undefined;
    return { ...owner, role: memberRole === null ? "owner" : toRole(memberRole) };
  };
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

/** @returns false when the organization has no such key */
export async function deleteKey(db: Db, organizationId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom("apiKeys")
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/**
 * Deletes the keys created from earlier values of FOYER_ADMIN_API_KEY, except `current`.
 * @returns the number of deleted keys
 */
export async function deleteEnvironmentKeys(
  db: Db,
  current: { organizationId: string; key: string } | null,
): Promise<number> {
  const others = db.deleteFrom("apiKeys").where("isFromEnvironment", "=", 1);
  const result = await (current === null
    ? others
    : others.where(({ eb, or }) =>
        or([eb("hash", "!=", hashKey(current.key)), eb("organizationId", "!=", current.organizationId)]),
      )
  ).executeTakeFirst();
  return Number(result.numDeletedRows);
}

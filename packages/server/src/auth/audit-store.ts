import type { Transaction } from "kysely";
import type { Db } from "../db/open.ts";
import type { AuditLogRow, Tables } from "../db/tables.ts";

/** All in one statement; an organization that is gone by now takes its entries along. */
export async function insertEntries(trx: Transaction<Tables>, rows: AuditLogRow[]): Promise<void> {
  const wanted = [...new Set(rows.map((row) => row.organizationId))];
  const found = await trx.selectFrom("organizations").select("id").where("id", "in", wanted).execute();
  const known = new Set(found.map(({ id }) => id));
  const kept = rows.filter((row) => known.has(row.organizationId));
  if (kept.length > 0) await trx.insertInto("auditLog").values(kept).execute();
}

/** Newest first. */
export async function listEntries(db: Db, organizationId: string, limit: number, offset: number) {
  const own = db.selectFrom("auditLog").where("organizationId", "=", organizationId);
  const [rows, count] = await Promise.all([
    own.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute(),
    own.select(({ fn }) => fn.countAll().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(count.total) };
}

/** The organizations of a user, for what they do outside of any. */
export async function organizationIdsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db.selectFrom("members").select("organizationId").where("userId", "=", userId).execute();
  return rows.map((row) => row.organizationId);
}

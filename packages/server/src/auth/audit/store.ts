import type { Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { AuditLogRow } from "../../db/tables/audit.ts";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";

/** Inserts all entries in one statement, except those of organizations that have been deleted. */
export async function insertEntries(trx: Transaction<Tables>, rows: AuditLogRow[]): Promise<void> {
  const ids = [...new Set(rows.map((row) => row.organizationId))];
  const found = await trx.selectFrom("organizations").select("id").where("id", "in", ids).execute();
  const existingIds = new Set(found.map(({ id }) => id));
  const entries = rows.filter((row) => existingIds.has(row.organizationId));
  if (entries.length > 0) await trx.insertInto("auditLog").values(entries).execute();
}

export async function listEntries(
  { db, reads }: Pick<Deps, "db" | "reads">,
  organizationId: string,
  { limit, offset }: { limit: number; offset: number },
) {
  const entries = db.selectFrom("auditLog").where("organizationId", "=", organizationId);
  const options = { lane: "list", owner: organizationId } as const;
  const rows = await reads.run(entries.selectAll().orderBy("id", "desc").limit(limit).offset(offset), options);
  const [count] = await reads.run(
    entries.select(({ fn }) => fn.countAll().as("total")),
    options,
  );
  return { rows, total: Number(count?.total ?? 0) };
}

export async function listOrganizationIds(db: Db, userId: string): Promise<string[]> {
  const rows = await db.selectFrom("members").select("organizationId").where("userId", "=", userId).execute();
  return rows.map((row) => row.organizationId);
}

/** The current name of the resource that a management call addresses. Null when it has no name or does not exist. */
export async function findTargetName(
  db: Db,
  { organizationId, resource, id }: { organizationId: string; resource: string; id: string },
): Promise<string | null> {
  switch (resource) {
    case "tools":
    case "triggers":
      return (await nameIn(db, resource, { organizationId, id })) ?? nameIn(db, "trash", { organizationId, id });
    case "agents":
    case "tags":
    case "trash":
      return nameIn(db, resource, { organizationId, id });
    case "documents":
      return findTitle(db, organizationId, id);
    case "sources":
      return findAddress(db, organizationId, id);
    case "notice-channels":
      return nameIn(db, "noticeChannels", { organizationId, id });
    case "canned-replies":
      return nameIn(db, "cannedReplies", { organizationId, id });
    case "api-keys":
      return nameIn(db, "apiKeys", { organizationId, id });
    case "invitations":
      return readAddress(
        await db
          .selectFrom("invitations")
          .select("email")
          .where("id", "=", id)
          .where("organizationId", "=", organizationId)
          .executeTakeFirst(),
      );
    case "members":
      return readAddress(
        await db
          .selectFrom("users")
          .innerJoin("members", "members.userId", "users.id")
          .select("users.email")
          .where("users.id", "=", id)
          .where("members.organizationId", "=", organizationId)
          .executeTakeFirst(),
      );
    default:
      return null;
  }
}

async function nameIn(
  db: Db,
  table: "agents" | "tools" | "trash" | "triggers" | "apiKeys" | "cannedReplies" | "tags" | "noticeChannels",
  { organizationId, id }: { organizationId: string; id: string },
): Promise<string | null> {
  const row = await db
    .selectFrom(table)
    .select("name")
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return row?.name ?? null;
}

async function findTitle(db: Db, organizationId: string, id: string): Promise<string | null> {
  const row = await db
    .selectFrom("documents")
    .select("title")
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return row?.title ?? null;
}

async function findAddress(db: Db, organizationId: string, id: string): Promise<string | null> {
  const row = await db
    .selectFrom("sources")
    .select("url")
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return row?.url ?? null;
}

function readAddress(row: { email: string } | undefined): string | null {
  return row?.email ?? null;
}

import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Names in the audit log, keys that come from the environment, and tokens counted against plans. */
export async function security(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("auditLog").addColumn("resourceName", "text").execute();
  await db.schema
    .alterTable("apiKeys")
    .addColumn("isFromEnvironment", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  // Until now, such a key could only be identified by its name.
  await db.updateTable("apiKeys").set({ isFromEnvironment: 1 }).where("name", "=", "FOYER_ADMIN_API_KEY").execute();
  await db.schema.createIndex("apiKeysCreatedBy").on("apiKeys").column("createdBy").execute();
  await deleteKeysOfFormerMembers(db);
  await db.schema
    .alterTable("conversations")
    .addColumn("isUserVerified", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("organizationMonths")
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("month", "text", (c) => c.notNull())
    .addColumn("tokens", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("organizationMonthsKey", ["organizationId", "month"])
    .execute();
}

/**
 * From now on, a key ends with the membership of the person who created it. This deletes the keys of people who have
 * already left.
 */
async function deleteKeysOfFormerMembers(db: Kysely<Tables>) {
  await db
    .deleteFrom("apiKeys")
    .where("createdBy", "is not", null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("members")
            .select(sql`1`.as("one"))
            .whereRef("members.organizationId", "=", "apiKeys.organizationId")
            .whereRef("members.userId", "=", "apiKeys.createdBy"),
        ),
      ),
    )
    .execute();
}

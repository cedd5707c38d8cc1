import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What organizations set for models. */
export async function modelSettings({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("modelSettings")
    .addColumn("organizationId", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("supportsImages", "integer", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("modelSettingsPrimaryKey", ["organizationId", "model"])
    .execute();
}

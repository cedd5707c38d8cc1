import type { Db } from "../../db/open.ts";
import type { SecretRow } from "../../db/tables.ts";

/** Secrets read and rendered between two turns of the event loop. */
const PAGE = 200;

export function createSecretStore(db: Db) {
  const owned = (organizationId: string) => db.selectFrom("secrets").where("organizationId", "=", organizationId);
  return {
    /** Ordered by name. */
    async *pages(organizationId: string): AsyncGenerator<SecretRow[]> {
      for (let after = ""; ; ) {
        const rows = await owned(organizationId)
          .selectAll()
          .where("name", ">", after)
          .orderBy("name")
          .limit(PAGE)
          .execute();
        yield rows;
        after = rows.at(-1)?.name ?? "";
        if (rows.length < PAGE) return;
      }
    },
    async named(organizationId: string, names: readonly string[]): Promise<SecretRow[]> {
      return owned(organizationId).selectAll().where("name", "in", names).execute();
    },
    async get(organizationId: string, name: string): Promise<SecretRow | undefined> {
      return owned(organizationId).selectAll().where("name", "=", name).executeTakeFirst();
    },
    /** @throws a duplicate key error when the name is taken */
    async insert(row: SecretRow): Promise<void> {
      await db.insertInto("secrets").values(row).execute();
    },
    async put(row: SecretRow): Promise<SecretRow> {
      const { value, hosts, updatedAt } = row;
      return db
        .insertInto("secrets")
        .values(row)
        .onConflict((conflict) => conflict.columns(["organizationId", "name"]).doUpdateSet({ value, hosts, updatedAt }))
        .returningAll()
        .executeTakeFirstOrThrow();
    },
    async delete(organizationId: string, name: string): Promise<boolean> {
      const result = await db
        .deleteFrom("secrets")
        .where("organizationId", "=", organizationId)
        .where("name", "=", name)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

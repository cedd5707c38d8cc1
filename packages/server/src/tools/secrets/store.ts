import type { Db } from "../../db/open.ts";
import type { SecretRow } from "../../db/tables.ts";

export function createSecretStore(db: Db) {
  const owned = (organizationId: string) => db.selectFrom("secrets").where("organizationId", "=", organizationId);
  return {
    async list(organizationId: string): Promise<SecretRow[]> {
      return owned(organizationId).selectAll().orderBy("name").execute();
    },
    async get(organizationId: string, name: string): Promise<SecretRow | undefined> {
      return owned(organizationId).selectAll().where("name", "=", name).executeTakeFirst();
    },
    /** @throws a duplicate when there is one of that name */
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

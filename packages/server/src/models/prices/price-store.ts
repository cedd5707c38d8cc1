import { compileOnce } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import type { ModelPriceRow } from "../../db/tables/models.ts";

/** The number of prices that an organization can set. */
export const MAX_PRICES = 1_000;

export type PriceStore = ReturnType<typeof createPriceStore>;

/** The prices that organizations have set. */
export function createPriceStore(db: Db) {
  const ofOrganization = compileOnce<{ organizationId: string }, ModelPriceRow>((param) =>
    db.selectFrom("modelPrices").selectAll().where("organizationId", "=", param("organizationId")).orderBy("model"),
  );
  return {
    list: async (organizationId: string): Promise<ModelPriceRow[]> =>
      (await ofOrganization(db, { organizationId })).rows,
    async put(row: ModelPriceRow): Promise<void> {
      const { organizationId: _, model: __, ...values } = row;
      await db
        .insertInto("modelPrices")
        .values(row)
        .onConflict((conflict) => conflict.columns(["organizationId", "model"]).doUpdateSet(values))
        .execute();
    },
    async delete(organizationId: string, model: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom("modelPrices")
        .where("organizationId", "=", organizationId)
        .where("model", "=", model)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

import { compileOnce } from "../../db/compiled-query.ts";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { ModelPriceRow } from "../../db/tables/models.ts";
import { inTransaction } from "../../db/transaction.ts";

/** The number of prices that an organization can set. Each of its replies reads them. */
export const MAX_PRICES = 200;

export type PriceStore = ReturnType<typeof createPriceStore>;

/** The prices that organizations have set. */
export function createPriceStore(db: Db) {
  const ofOrganization = compileOnce<{ organizationId: string }, ModelPriceRow>((param) =>
    db.selectFrom("modelPrices").selectAll().where("organizationId", "=", param("organizationId")).orderBy("model"),
  );
  return {
    list: async (organizationId: string): Promise<ModelPriceRow[]> =>
      (await ofOrganization(db, { organizationId })).rows,
    /** @param check receives the organization's other prices, and throws if this one does not fit to them */
    async put(row: ModelPriceRow, check: (others: ModelPriceRow[]) => void): Promise<void> {
      const { organizationId, model, ...values } = row;
      await inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", organizationId);
        const { rows } = await ofOrganization(trx, { organizationId });
        check(rows.filter((other) => other.model !== model));
        await trx
          .insertInto("modelPrices")
          .values(row)
          .onConflict((conflict) => conflict.columns(["organizationId", "model"]).doUpdateSet(values))
          .execute();
      });
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

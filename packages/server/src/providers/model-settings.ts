import type { ModelSetting } from "@foyer/contract";
import { compileOnce } from "../db/compiled-query.ts";
import { lockRow } from "../db/lock-row.ts";
import type { Db } from "../db/open.ts";
import type { ModelSettingRow } from "../db/tables/models.ts";
import { inTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import type { VisionSetting } from "../models/chat-model.ts";

/** The number of models that an organization can set. */
const MAX_SETTINGS = 200;

export type ModelSettings = ReturnType<typeof createModelSettings>;

/** What organizations have set for models. */
export function createModelSettings(db: Db) {
  const byModel = compileOnce<{ organizationId: string; model: string }, ModelSettingRow>((param) =>
    db
      .selectFrom("modelSettings")
      .selectAll()
      .where("organizationId", "=", param("organizationId"))
      .where("model", "=", param("model")),
  );
  return {
    async list(organizationId: string): Promise<ModelSetting[]> {
      const rows = await db
        .selectFrom("modelSettings")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .orderBy("model")
        .execute();
      return rows.map(toModelSetting);
    },
    /** Whether the organization has set that the model can see pictures, and when. */
    async vision(organizationId: string, model: string): Promise<VisionSetting | undefined> {
      const row = (await byModel(db, { organizationId, model })).rows[0];
      return row && { supportsImages: row.supportsImages === 1, updatedAt: row.updatedAt };
    },
    /** @throws 409 when the organization has set as many models as it can */
    async put(organizationId: string, model: string, supportsImages: boolean): Promise<ModelSetting> {
      const values = { supportsImages: supportsImages ? (1 as const) : (0 as const), updatedAt: Date.now() };
      await inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", organizationId);
        const others = await trx
          .selectFrom("modelSettings")
          .select((x) => x.fn.countAll<number>().as("n"))
          .where("organizationId", "=", organizationId)
          .where("model", "<>", model)
          .executeTakeFirstOrThrow();
        if (Number(others.n) >= MAX_SETTINGS) {
          throw new AppError("CONFLICT", `An organization can set ${MAX_SETTINGS} models. Remove a setting first.`);
        }
        await trx
          .insertInto("modelSettings")
          .values({ organizationId, model, ...values })
          .onConflict((conflict) => conflict.columns(["organizationId", "model"]).doUpdateSet(values))
          .execute();
      });
      return toModelSetting({ organizationId, model, ...values });
    },
    async remove(organizationId: string, model: string): Promise<ModelSetting> {
      await db
        .deleteFrom("modelSettings")
        .where("organizationId", "=", organizationId)
        .where("model", "=", model)
        .execute();
      return { model, supportsImages: null, updatedAt: null };
    },
  };
}

function toModelSetting({ model, supportsImages, updatedAt }: ModelSettingRow): ModelSetting {
  return { model, supportsImages: supportsImages === 1, updatedAt: new Date(updatedAt).toISOString() };
}

import { compileOnce } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import type { WebhookSecretRow } from "../../db/tables/forms.ts";

type SecretRow = Omit<WebhookSecretRow, "toolId" | "agentId">;

export function createWebhookSecretStore(db: Db) {
  const get = compileOnce<{ toolId: string }, SecretRow>((param) =>
    db
      .selectFrom("webhookSecrets")
      .select(["secret", "previousSecret", "rotatedAt"])
      .where("toolId", "=", param("toolId")),
  );
  return {
    async get(toolId: string): Promise<SecretRow | undefined> {
      return (await get(db, { toolId })).rows[0];
    },
    /** Inserts the secret unless the form already has one. All concurrent callers receive the first one. */
    async insertIfNone(row: Pick<WebhookSecretRow, "toolId" | "agentId" | "secret">): Promise<void> {
      await db
        .insertInto("webhookSecrets")
        .values({ ...row, previousSecret: null, rotatedAt: null })
        .onConflict((conflict) => conflict.column("toolId").doNothing())
        .execute();
    },
    async rotate(toolId: string, secret: string, now: number): Promise<void> {
      await db
        .updateTable("webhookSecrets")
        .set((row) => ({ secret, previousSecret: row.ref("secret"), rotatedAt: now }))
        .where("toolId", "=", toolId)
        .execute();
    },
  };
}

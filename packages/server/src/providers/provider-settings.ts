import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { ProviderSettingsRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";
import { type ProviderAccess, type ProviderName, providerNames } from "../models/provider-environment.ts";

export type ProviderSettings = ReturnType<typeof createProviderSettings>;

/**
 * Manages the organizations' own keys and URLs of model providers. Keys are encrypted at rest and never returned by the
 * API.
 */
export function createProviderSettings(db: Db, encryption: Encryption) {
  const byAccount = compileOnce<{ organizationId: string }, ProviderSettingsRow>((param) =>
    db.selectFrom("providerSettings").selectAll().where("organizationId", "=", param("organizationId")),
  );
  const context = (organizationId: string, provider: string) => `${organizationId}/${provider}`;
  return {
    async get(organizationId: string): Promise<Map<ProviderName, ProviderAccess>> {
      const { rows } = await byAccount(db, { organizationId });
      const settings = new Map<ProviderName, ProviderAccess>();
      for (const { provider, apiKey, baseUrl } of rows) {
        const name = providerNames.find((known) => known === provider);
        const opened = apiKey === null ? null : encryption.decrypt(apiKey, context(organizationId, provider));
        if (name) settings.set(name, { apiKey: opened, baseUrl });
      }
      return settings;
    },
    async put(organizationId: string, provider: ProviderName, access: ProviderAccess): Promise<void> {
      const encrypted =
        access.apiKey === null ? null : encryption.encrypt(access.apiKey, context(organizationId, provider));
      const values = { apiKey: encrypted, baseUrl: access.baseUrl, updatedAt: Date.now() };
      await db
        .insertInto("providerSettings")
        .values({ organizationId, provider, ...values })
        .onConflict((conflict) => conflict.columns(["organizationId", "provider"]).doUpdateSet(values))
        .execute();
    },
    async delete(organizationId: string, provider: ProviderName): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom("providerSettings")
        .where("organizationId", "=", organizationId)
        .where("provider", "=", provider)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

import { type ServerKind, serverKinds } from "@foyer/contract";
import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { ProviderSettingsRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";
import { isBuiltIn, type ProviderAccess, type ProviderName } from "../models/provider-environment.ts";

export type ProviderSettings = ReturnType<typeof createProviderSettings>;

/**
 * Manages the organizations' own keys and URLs of model providers, and the servers that they have named. Keys are
 * encrypted at rest and never returned by the API.
 */
export function createProviderSettings(db: Db, encryption: Encryption) {
  const byAccount = compileOnce<{ organizationId: string }, ProviderSettingsRow>((param) =>
    db.selectFrom("providerSettings").selectAll().where("organizationId", "=", param("organizationId")),
  );
  const context = (organizationId: string, provider: string) => `${organizationId}/${provider}`;
  const open = (text: string | null, key: string) => (text === null ? null : encryption.decrypt(text, key));
  const close = (text: string | null, key: string) => (text === null ? null : encryption.encrypt(text, key));
  return {
    async get(organizationId: string): Promise<Map<ProviderName, ProviderAccess>> {
      const { rows } = await byAccount(db, { organizationId });
      const settings = new Map<ProviderName, ProviderAccess>();
      for (const { provider, kind, apiKey, baseUrl, server, secretKey } of rows) {
        const known = isBuiltIn(provider) ? provider : toServerKind(kind);
        // A newer version may have stored a kind that this one does not know.
        if (!known) continue;
        const key = context(organizationId, provider);
        const secretAccessKey = open(secretKey, key);
        settings.set(provider, {
          kind: known,
          apiKey: open(apiKey, key),
          baseUrl,
          server: { ...JSON.parse(server), ...(secretAccessKey === null ? {} : { secretAccessKey }) },
        });
      }
      return settings;
    },
    async put(organizationId: string, provider: ProviderName, access: ProviderAccess): Promise<void> {
      const key = context(organizationId, provider);
      const { secretAccessKey = null, ...server } = access.server;
      const values = {
        kind: isBuiltIn(provider) ? null : access.kind,
        apiKey: close(access.apiKey, key),
        baseUrl: access.baseUrl,
        server: JSON.stringify(server),
        secretKey: close(secretAccessKey, key),
        updatedAt: Date.now(),
      };
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

const toServerKind = (text: string | null): ServerKind | undefined => serverKinds.find((kind) => kind === text);

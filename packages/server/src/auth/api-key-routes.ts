import * as contract from "@foyer/contract";
import type { Db } from "../db/open.ts";
import { AppError, invalid, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import type { ApiKeys } from "./api-keys/api-keys.ts";
import { generateKey } from "./api-keys/key-format.ts";
import { insertKey, listKeys } from "./api-keys/store.ts";
import { requirePrincipal } from "./sessions/authenticate.ts";

const MAX_KEYS = 100;

export function apiKeyRoutes(app: App, { db, keys }: { db: Db; keys: ApiKeys }): void {
  app.route({
    ...contract.listApiKeys,
    handler: async (request) => (await listKeys(db, requirePrincipal(request).organizationId)).map(toApiKey),
  });
  app.route({
    ...contract.createApiKey,
    ...withBodyRules<{ expiresAt?: string | null }>(({ body }) => readExpiry(body.expiresAt ?? null)),
    handler: async (request, reply) => {
      const { organizationId, userId: createdBy } = requirePrincipal(request);
      const expiresAt = readExpiry(request.body.expiresAt ?? null);
      if ((await listKeys(db, organizationId)).length >= MAX_KEYS) {
        throw new AppError("CONFLICT", `An organization can have at most ${MAX_KEYS} API keys. Revoke one first.`);
      }
      const key = generateKey();
      const name = request.body.name.trim();
      const id = await insertKey(db, { organizationId, createdBy, name, key, expiresAt });
      const created = (await listKeys(db, organizationId)).find((row) => row.id === id);
      if (!created) throw notFound("API key");
      return reply
        .status(201)
        .header("cache-control", "no-store")
        .send({ ...toApiKey(created), key });
    },
  });
  app.route({
    ...contract.deleteApiKey,
    handler: async (request) => {
      if (!(await keys.revoke(requirePrincipal(request).organizationId, request.params.id))) throw notFound("API key");
      return { success: true as const };
    },
  });
}

/** A date without a time means the start of that day in UTC. */
function readExpiry(text: string | null): number | null {
  const at = text === null ? null : Date.parse(text);
  if (at !== null && at <= Date.now()) throw invalid("expiresAt", "must be in the future", "min");
  return at;
}

function toApiKey(row: Awaited<ReturnType<typeof listKeys>>[number]) {
  const { id, name, start, createdAt, lastUsedAt, expiresAt, memberName, memberEmail } = row;
  const toIsoDate = (at: number) => new Date(at).toISOString();
  const orNull = (at: number | null) => (at === null ? null : toIsoDate(at));
  return {
    id,
    name,
    start,
    createdBy: memberName?.trim() || memberEmail,
    createdAt: toIsoDate(createdAt),
    lastUsedAt: orNull(lastUsedAt),
    expiresAt: orNull(expiresAt),
  };
}

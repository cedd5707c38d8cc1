import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import { hashKey, isPlausibleKey } from "./key-format.ts";
import { createKeyLookup, deleteKey, type KeyOwner, touchKey } from "./store.ts";

/**
 * How long a key is cached, in milliseconds. Other processes must notice a revocation within 5 s, so this leaves a
 * margin for the lookup itself.
 */
const CACHE_MS = 4_500;
const TOUCH_MS = 60_000;

export type ApiKeys = {
  /** @returns the owner of a valid key, or null; without a promise when the key was looked up less than 5 s ago */
  authenticate(key: string): KeyOwner | null | Promise<KeyOwner | null>;
  /** Takes effect immediately in this process. @returns false when the organization has no such key */
  revoke(organizationId: string, id: string): Promise<boolean>;
  /** Call this after deleting keys by other means in this process. */
  clearCache(): void;
};

export function createApiKeys(db: Db, log: Logger, now: () => number = Date.now): ApiKeys {
  const findOwner = createKeyLookup(db);
  const cache = new LRUCache<string, { owner: KeyOwner | null; until: number }>({ max: 10_000 });
  let generation = 0;

  async function load(hash: string) {
    const startedIn = generation;
    const until = now() + CACHE_MS;
    const owner = (await findOwner(hash)) ?? null;
    // A lookup that started before a revocation must not put the revoked key back into the cache.
    if (startedIn === generation) cache.set(hash, { owner, until });
    if (owner && now() - (owner.lastUsedAt ?? 0) > TOUCH_MS) {
      touchKey(db, owner.keyId, now()).catch((error) =>
        log.warn({ err: error }, "could not record the last use of an API key"),
      );
    }
    return owner;
  }

  const requireUnexpired = (owner: KeyOwner | null) =>
    owner && (owner.expiresAt === null || owner.expiresAt > now()) ? owner : null;

  function clearCache() {
    generation++;
    cache.clear();
  }

  return {
    clearCache,
    authenticate(key) {
      if (!isPlausibleKey(key)) return null;
      const hash = hashKey(key);
      const cached = cache.get(hash);
      return cached && cached.until > now() ? requireUnexpired(cached.owner) : load(hash).then(requireUnexpired);
    },
    async revoke(organizationId, id) {
      const deleted = await deleteKey(db, organizationId, id);
      clearCache();
      return deleted;
    },
  };
}

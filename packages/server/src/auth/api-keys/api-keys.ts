import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import { hashKey, isPlausibleKey } from "./key-format.ts";
import { deleteKey, type KeyOwner, keyLookup, touchKey } from "./store.ts";

/** Revocation elsewhere is seen within 5 s; a little less, so that it holds with the time a look-up takes. */
const CACHE_MS = 4_500;
const TOUCH_MS = 60_000;

export type ApiKeys = {
  /** The owner of a valid key, or null. */
  authenticate(key: string): Promise<KeyOwner | null>;
  /** Takes effect at once in this process. @returns false when the account has no such key */
  revoke(organizationId: string, id: string): Promise<boolean>;
  /** For keys that were deleted by somebody else in this process. */
  forgetKnown(): void;
};

export function createApiKeys(db: Db, log: Logger, now: () => number = Date.now): ApiKeys {
  const lookUp = keyLookup(db);
  const cache = new LRUCache<string, { owner: KeyOwner | null; until: number }>({ max: 10_000 });
  let generation = 0;

  async function load(hash: string) {
    const startedIn = generation;
    const until = now() + CACHE_MS;
    const owner = (await lookUp(hash)) ?? null;
    // A look-up that began before a revocation must not bring the key back.
    if (startedIn === generation) cache.set(hash, { owner, until });
    if (owner && now() - (owner.lastUsedAt ?? 0) > TOUCH_MS) {
      touchKey(db, owner.keyId, now()).catch((error) => log.warn({ err: error }, "key's last use not recorded"));
    }
    return owner;
  }

  function forgetKnown() {
    generation++;
    cache.clear();
  }

  return {
    forgetKnown,
    async authenticate(key) {
      if (!isPlausibleKey(key)) return null;
      const hash = hashKey(key);
      const cached = cache.get(hash);
      const owner = cached && cached.until > now() ? cached.owner : await load(hash);
      return owner && (owner.expiresAt === null || owner.expiresAt > now()) ? owner : null;
    },
    async revoke(organizationId, id) {
      const deleted = await deleteKey(db, organizationId, id);
      forgetKnown();
      return deleted;
    },
  };
}

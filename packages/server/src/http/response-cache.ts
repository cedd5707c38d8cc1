import { LRUCache } from "lru-cache";

/**
 * How long a response is cached, in milliseconds. Changes in another process must be visible within a second. The difference
 * is a margin for the duration of a read.
 */
const CACHE_MS = 900;
/** The approximate size of a cache entry without its body. */
const ENTRY_BYTES = 1_024;

type Options<T extends object> = {
  maxBytes: number;
  measureBytes(data: T): number;
  /** a clock in milliseconds */
  now?: () => number;
};

export type ResponseCache<T extends object> = ReturnType<typeof createResponseCache<T>>;

/** Caches the data of responses by a key, such as an agent's id, for at most 1 s. */
export function createResponseCache<T extends object>({ maxBytes, measureBytes: bytesOf, now = Date.now }: Options<T>) {
  const entries = new LRUCache<string, { data: T; until: number }>({
    maxSize: maxBytes,
    sizeCalculation: ({ data }) => bytesOf(data) + ENTRY_BYTES,
  });
  const pendingReads = new Map<string, Promise<T>>();

  async function load(key: string, read: (key: string) => Promise<T>) {
    const until = now() + CACHE_MS;
    const loading = read(key);
    pendingReads.set(key, loading);
    try {
      const data = await loading;
      // Do not store the result of a read that started before the last change.
      if (pendingReads.get(key) === loading) entries.set(key, { data, until });
      return data;
    } finally {
      if (pendingReads.get(key) === loading) pendingReads.delete(key);
    }
  }

  return {
    /** Returns cached data synchronously. Otherwise, calls `read`, whose result concurrent callers share. */
    get(key: string, read: (key: string) => Promise<T>): T | Promise<T> {
      const entry = entries.get(key);
      if (entry && entry.until > now()) return entry.data;
      return pendingReads.get(key) ?? load(key, read);
    },
    /** Removes an entry. Call this when the data of the response has changed. */
    forget(key: string): void {
      entries.delete(key);
      pendingReads.delete(key);
    },
  };
}

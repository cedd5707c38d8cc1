import { LRUCache } from "lru-cache";

/**
 * How long a response is cached, in milliseconds. Changes in another process must be visible within 5 s, so this leaves
 * a margin for the time that reading takes.
 */
const CACHE_MS = 4_500;
/** The approximate size of an entry besides its body. */
const ENTRY_BYTES = 1_024;

type Options<T extends object> = {
  maxBytes: number;
  bytesOf(answer: T): number;
  /** a clock in milliseconds */
  now?: () => number;
};

export type AnswerCache<T extends object> = ReturnType<typeof createAnswerCache<T>>;

/** Caches the data of responses by a key, such as an agent's id, for at most 5 s. */
export function createAnswerCache<T extends object>({ maxBytes, bytesOf, now = Date.now }: Options<T>) {
  const known = new LRUCache<string, { answer: T; until: number }>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }) => bytesOf(answer) + ENTRY_BYTES,
  });
  const reading = new Map<string, Promise<T>>();

  async function load(key: string, read: (key: string) => Promise<T>) {
    const until = now() + CACHE_MS;
    const loading = read(key);
    reading.set(key, loading);
    try {
      const answer = await loading;
      // A read that started before a change must not store the old state in the cache.
      if (reading.get(key) === loading) known.set(key, { answer, until });
      return answer;
    } finally {
      if (reading.get(key) === loading) reading.delete(key);
    }
  }

  return {
    /** Returns cached data synchronously. Otherwise, calls `read`, whose result concurrent callers share. */
    get(key: string, read: (key: string) => Promise<T>): T | Promise<T> {
      const entry = known.get(key);
      if (entry && entry.until > now()) return entry.answer;
      return reading.get(key) ?? load(key, read);
    },
    /** Call this when something in the response has changed. */
    forget(key: string): void {
      known.delete(key);
      reading.delete(key);
    },
  };
}

import type { Logger } from "pino";
import type { Connection } from "./provider.ts";
import type { ProviderName } from "./provider-environment.ts";

/** The time after which a server that listed no chat model is asked again, in milliseconds. */
const RETRY_MS = 30_000;
/** Organizations can configure servers of their own, so the number of remembered ones is limited. */
const MAX_REMEMBERED = 1_000;
/** Models that servers list next to chat models, but that cannot answer a visitor. */
const notForChat = /embed|rerank|whisper|moderation|(^|[-_/])(bge|tts)([-_.:]|$)/i;

type Entry = { name: string | null; askedAt: number; asking: Promise<string | null> | null };
type ListNames = (provider: ProviderName, connection: Connection) => Promise<string[]>;

/**
 * The default models of self-hosted servers, which have no well-known one: the first chat model that the server lists.
 * It stays the default while the server lists it, so that a new order of the list does not change agents.
 */
export function createListedDefaults({ list, log }: { list: ListNames; log: Pick<Logger, "warn"> }) {
  const entries = new Map<string, Entry>();

  function entryOf(provider: ProviderName, { baseUrl, apiKey, trust }: Connection): Entry {
    const key = JSON.stringify([provider, baseUrl, apiKey, trust]);
    const known = entries.get(key);
    if (known) return known;
    const [oldest] = entries.keys();
    if (entries.size >= MAX_REMEMBERED && oldest !== undefined) entries.delete(oldest);
    const entry: Entry = { name: null, askedAt: Number.NEGATIVE_INFINITY, asking: null };
    entries.set(key, entry);
    return entry;
  }

  function keepListed(entry: Entry, names: readonly string[]): string | null {
    entry.askedAt = Date.now();
    if (entry.name === null || !names.includes(entry.name)) {
      entry.name = names.find((name) => !notForChat.test(name)) ?? null;
    }
    return entry.name;
  }

  async function ask(entry: Entry, provider: ProviderName, connection: Connection): Promise<string | null> {
    try {
      return keepListed(entry, await list(provider, connection));
    } catch (error) {
      entry.askedAt = Date.now();
      log.warn({ err: error, provider }, "no default model, because the provider's models cannot be listed");
      return null;
    } finally {
      entry.asking = null;
    }
  }

  return {
    /** Remembers a list that was requested for another reason. */
    remember: (provider: ProviderName, connection: Connection, names: readonly string[]): void => {
      keepListed(entryOf(provider, connection), names);
    },
    /**
     * Returns the default model, or null while the server lists none. Only the first call waits for the list. Later
     * calls request it in the background, so that a server that does not respond delays nothing.
     */
    async find(provider: ProviderName, connection: Connection): Promise<string | null> {
      const entry = entryOf(provider, connection);
      if (entry.name !== null) return entry.name;
      const isFirst = entry.askedAt === Number.NEGATIVE_INFINITY;
      if (isFirst || Date.now() - entry.askedAt >= RETRY_MS) entry.asking ??= ask(entry, provider, connection);
      return isFirst ? entry.asking : null;
    },
  };
}

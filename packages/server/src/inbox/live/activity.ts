import type { Db } from "../../db/open.ts";
import { listOrganizationsWithInbox, MAX_READ, readActivitySince, writeActivity } from "./activity-store.ts";

/** How often activity is written for the other processes, in milliseconds. */
const WRITE_EVERY_MS = 300;
/** How often this process reads which organizations have an inbox open, in milliseconds. */
const READ_ORGANIZATIONS_EVERY_MS = 1_000;
/**
 * How long activity without a follower is remembered, in milliseconds, for an inbox that was just opened in another
 * process.
 */
const REMEMBERED_MS = 3_000;
/**
 * The maximum number of conversations that are remembered for each organization. If there are more, the inboxes reload
 * their lists.
 */
const MAX_CONVERSATIONS = 200;
/** How long announced activity is remembered, in milliseconds. This exceeds the time for which activity can be read. */
const ANNOUNCED_MS = 60_000;

/** Used in place of a conversation id when there are more conversations than can be listed. */
export const MANY = "";

/** The time of the latest activity, in milliseconds since 1970, by conversation. */
type Recent = Map<string, number>;

export type ActivityExchange = ReturnType<typeof createActivityExchange>;

/**
 * Exchanges, between processes that share the database, in which conversations something happened. Nothing is written
 * for an organization whose members have no inbox open. A single process does not need this exchange.
 * @param db null for a single process
 */
export function createActivityExchange(db: Db | null, onError: (error: unknown) => void, now = Date.now) {
  const organizations = new Map<string, Recent>();
  /** when activity was last announced here, by conversation */
  const announced = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let organizationsWithInbox: ReadonlySet<string> = new Set();
  let organizationsReadAt = Number.NEGATIVE_INFINITY;

  function remember(organizationId: string, conversationId: string) {
    const recent: Recent = organizations.get(organizationId) ?? new Map();
    organizations.set(organizationId, recent);
    const isFull = recent.size >= MAX_CONVERSATIONS && !recent.has(conversationId);
    const key = isFull ? MANY : conversationId;
    recent.set(key, now());
  }

  async function write(db: Db): Promise<void> {
    const startedAt = now();
    if (startedAt - organizationsReadAt >= READ_ORGANIZATIONS_EVERY_MS) {
      organizationsWithInbox = await listOrganizationsWithInbox(db, startedAt);
      organizationsReadAt = startedAt;
    }
    const rows = [...organizations].flatMap(([organizationId, recent]) =>
      organizationsWithInbox.has(organizationId)
        ? [...recent].map(([conversationId, at]) => ({ organizationId, conversationId, at }))
        : [],
    );
    // Otherwise this process would announce its own activity a second time when it reads the table.
    for (const { organizationId, conversationId, at } of rows)
      setAnnounced(createKey(organizationId, conversationId), at);
    await writeActivity(db, rows);
    for (const { organizationId, conversationId, at } of rows) {
      const recent = organizations.get(organizationId);
      if (recent?.get(conversationId) === at) recent.delete(conversationId);
    }
  }

  /** Moves the key to the end, so that the map is ordered by time. */
  function setAnnounced(key: string, at: number) {
    announced.delete(key);
    announced.set(key, at);
  }

  function forgetOld() {
    for (const [organizationId, recent] of organizations) {
      for (const [id, at] of recent) if (now() - at > REMEMBERED_MS) recent.delete(id);
      if (recent.size === 0) organizations.delete(organizationId);
    }
    for (const [key, at] of announced) {
      if (now() - at < ANNOUNCED_MS) break;
      announced.delete(key);
    }
  }

  function schedule(db: Db) {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = write(db)
        .catch(onError)
        .finally(() => {
          writing = null;
          forgetOld();
          if (organizations.size > 0) schedule(db);
        });
    }, WRITE_EVERY_MS).unref();
  }

  return {
    /** Records that something happened in a conversation in this process. */
    note(organizationId: string, conversationId: string): void {
      if (!db) return;
      remember(organizationId, conversationId);
      if (!writing) schedule(db);
    },
    /** Reads what happened in other processes in these organizations since the given time, in milliseconds. */
    async read(
      organizationIds: readonly string[],
      since: number,
    ): Promise<Array<{ organizationId: string; conversationId: string }>> {
      if (!db || organizationIds.length === 0) return [];
      const rows = await readActivitySince(db, organizationIds, since);
      const newRows = rows.filter(({ organizationId, conversationId, at }) => {
        const key = createKey(organizationId, conversationId);
        // Compares for equality rather than order, because the clocks of the servers differ.
        const isNew = announced.get(key) !== at;
        if (isNew) setAnnounced(key, at);
        return isNew;
      });
      if (rows.length < MAX_READ) return newRows;
      return [...newRows, ...organizationIds.map((organizationId) => ({ organizationId, conversationId: MANY }))];
    },
    /** Resolves once no write is in progress. */
    async stop(): Promise<void> {
      await writing;
      clearTimeout(timer);
    },
  };
}

const createKey = (organizationId: string, conversationId: string) => `${organizationId} ${conversationId}`;

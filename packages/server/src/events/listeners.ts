import type { WebhookEventType } from "@foyer/contract";
import { LRUCache } from "lru-cache";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { WebhookRow } from "../db/tables/outbox.ts";
import { hostOf } from "../outbox/host-of.ts";

export type ListeningWebhook = {
  id: string;
  host: string;
  /** null for all */
  types: ReadonlySet<string> | null;
  /** null for all */
  agentIds: ReadonlySet<string> | null;
  idleMinutes: number;
  row: WebhookRow;
};

/** The receivers of an organization's events. */
export type Listeners = { hasFeed: boolean; webhooks: readonly ListeningWebhook[] };

export type EventListeners = ReturnType<typeof createEventListeners>;

/** A change made by another process takes effect after this time. */
const TTL_MS = 2_000;
/** Each organization can have 20 webhooks, of which about 3 KB are cached. */
const MAX_ORGANIZATIONS = 2_000;
/** The feed reports a conversation as idle after this time. */
const FEED_IDLE_MINUTES = 30;

/**
 * Caches who receives each organization's events, so that events without a receiver cost nothing. Changes made in this
 * process take effect immediately.
 */
export function createEventListeners(db: Db) {
  const queries = listenerQueries(db);
  const recent = new LRUCache<string, Listeners>({ max: MAX_ORGANIZATIONS, ttl: TTL_MS });
  /** Counts the changes, so that the result of a read that began before a change is not cached after it. */
  let changes = 0;

  async function load(executor: Executor, organizationId: string): Promise<Listeners> {
    const { rows: feeds } = await queries.feed(executor, { organizationId });
    const { rows: webhooks } = await queries.webhooks(executor, { organizationId });
    return { hasFeed: feeds.length > 0, webhooks: webhooks.map(toListener) };
  }

  return {
    /** Reads with the transaction `executor` unless the result is cached. */
    async get(executor: Executor, organizationId: string): Promise<Listeners> {
      const cached = recent.get(organizationId);
      if (cached) return cached;
      const changesBefore = changes;
      const listeners = await load(executor, organizationId);
      if (changes === changesBefore) recent.set(organizationId, listeners);
      return listeners;
    },
    /** Call it after the transaction that changed the organization's webhooks or feed. */
    forget(organizationId: string): void {
      changes++;
      recent.delete(organizationId);
    },
  };
}

function toListener(row: WebhookRow): ListeningWebhook {
  const { id, url, events, agentIds, idleMinutes } = row;
  const types: string[] = JSON.parse(events);
  const agents: string[] = JSON.parse(agentIds);
  return {
    id,
    host: hostOf(url),
    types: types.includes("*") ? null : new Set(types),
    agentIds: agents.length === 0 ? null : new Set(agents),
    idleMinutes,
    row,
  };
}

/**
 * Returns the webhooks that receive events of this type and agent. An event without an agent is sent to all of them.
 * With `idleMinutes`, only webhooks with this idle time are returned.
 */
export function filterWebhooks(
  { webhooks }: Listeners,
  { type, agentId, idleMinutes }: { type: WebhookEventType; agentId: string | null; idleMinutes?: number },
): ListeningWebhook[] {
  return webhooks.filter(
    (webhook) =>
      (webhook.types === null || webhook.types.has(type)) &&
      (webhook.agentIds === null || agentId === null || webhook.agentIds.has(agentId)) &&
      (idleMinutes === undefined || webhook.idleMinutes === idleMinutes),
  );
}

/** The idle times of this agent's webhooks and feed, in minutes and ascending. */
export function listIdleMinutes(listeners: Listeners, agentId: string): number[] {
  const webhookMinutes = filterWebhooks(listeners, { type: "conversation.idle", agentId }).map(
    ({ idleMinutes }) => idleMinutes,
  );
  return [...new Set([...webhookMinutes, ...(listeners.hasFeed ? [FEED_IDLE_MINUTES] : [])])].sort((a, b) => a - b);
}

function listenerQueries(db: Db) {
  return {
    webhooks: compileOnce<{ organizationId: string }, WebhookRow>((param) =>
      db
        .selectFrom("webhooks")
        .selectAll()
        .where("organizationId", "=", param("organizationId"))
        .where("isEnabled", "=", 1),
    ),
    feed: compileOnce<{ organizationId: string }, { organizationId: string }>((param) =>
      db
        .selectFrom("eventFeeds")
        .select("organizationId")
        .where("organizationId", "=", param("organizationId"))
        .where("isEnabled", "=", 1),
    ),
  };
}

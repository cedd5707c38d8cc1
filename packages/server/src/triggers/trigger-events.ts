import type { TriggerEvent } from "@foyer/contract";
import type { Transaction } from "kysely";
import { createBatchWriter } from "../db/batch-writer.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { isId } from "../ids.ts";
import { toUtcDay } from "../utc-day.ts";
import { createTriggerEventStore, type Fired, type NewTriggerEvent } from "./event-store.ts";

const BATCH = 256;

/**
 * `alsoInTransaction` runs in the transaction that stores the event.
 * @returns whether the counters of a trigger include the event
 */
export type RecordEvent = (event: TriggerEvent, alsoInTransaction?: AlsoInTransaction) => Promise<boolean>;

type AlsoInTransaction = (trx: Transaction<Tables>, isCounted: boolean) => Promise<void>;
type Item = { event: NewTriggerEvent; also: AlsoInTransaction | undefined };

/**
 * Records events from widgets. The returned function resolves once the event and its counters are durable. Many events
 * share one transaction.
 */
export function createTriggerEvents(deps: Pick<Deps, "db" | "databaseKind">): RecordEvent {
  const store = createTriggerEventStore(deps);

  async function writeEvents(trx: Transaction<Tables>, items: Item[]) {
    const events = items.map(({ event }) => event);
    const matched = await store.settleFirings(trx, await withTriggers(trx, events));
    const isCounted = matched.map(({ triggerId }) => triggerId !== null);
    await store.insert(trx, matched);
    for (const [index, { also }] of items.entries()) await also?.(trx, isCounted[index] === true);
    await store.count(trx, matched);
    return isCounted;
  }

  /**
   * Assigns each event to a trigger of its agent: by id, otherwise by name, otherwise to the trigger that fired last in
   * the session.
   */
  async function withTriggers(trx: Transaction<Tables>, events: NewTriggerEvent[]): Promise<NewTriggerEvent[]> {
    const named = new Map<string, string | null>();
    const fired = new Map<string, Fired[]>();
    const rows: NewTriggerEvent[] = [];
    for (const event of events) {
      const { agentId, triggerName } = event;
      const id = event.triggerId !== null && isId("trigger", event.triggerId) ? event.triggerId : null;
      const key = `${agentId} ${id} ${triggerName}`;
      let triggerId = named.get(key);
      if (triggerId === undefined) {
        triggerId = (id && (await store.byId(trx, agentId, id))) ?? (await store.byName(trx, agentId, triggerName));
        named.set(key, triggerId);
      }
      if (triggerId === null && event.eventType === "converted" && event.sessionId !== null) {
        const known = fired.get(agentId) ?? (await store.lastFired(trx, agentId));
        fired.set(agentId, known);
        triggerId = findLastFired(event, rows) ?? findLastFired(event, known);
      }
      rows.push({ ...event, triggerId });
    }
    return rows;
  }

  const write = createBatchWriter(deps.db, writeEvents, { maxItems: BATCH });
  return (event, also) => {
    const createdAt = Date.now();
    const row = {
      agentId: event.agentId,
      triggerId: event.triggerId ?? null,
      triggerName: event.triggerName,
      triggerType: event.triggerType,
      actionType: event.actionType,
      eventType: event.eventType,
      sessionId: event.sessionId || null,
      pagePath: event.pagePath ?? null,
      day: toUtcDay(createdAt),
      createdAt,
    };
    return write({ event: row, also });
  };
}

/** The trigger that fired last in the event's session. `fired` is ordered oldest first. */
function findLastFired({ agentId, sessionId }: NewTriggerEvent, fired: readonly Fired[]): string | null {
  const isSame = (row: Fired) =>
    row.eventType === "fired" && row.triggerId !== null && row.agentId === agentId && row.sessionId === sessionId;
  return fired.findLast(isSame)?.triggerId ?? null;
}

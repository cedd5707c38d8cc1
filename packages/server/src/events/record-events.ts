import type { WebhookEventData, WebhookEventType } from "@foyer/contract";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { createEventNumbers } from "../conversations/log/marks.ts";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { compileInsert } from "../db/json-rows.ts";
import type { EventRow, IdleTimerRow } from "../db/tables/outbox.ts";
import type { Deps } from "../deps.ts";
import { newId } from "../ids.ts";
import { createEventDeliveries, type EventDispatch } from "./event-deliveries.ts";
import { type EventListeners, filterWebhooks, type ListeningWebhook, listIdleMinutes } from "./listeners.ts";

/** An event to record. `data` is called only if a webhook or the feed receives the event. */
export type NewEvent<T extends WebhookEventType = WebhookEventType> = {
  [Type in T]: {
    type: Type;
    organizationId: string;
    agentId: string | null;
    /** a conversation that exists, or null */
    conversationId: string | null;
    /** the submission that the event reports; the transaction has inserted or locked it */
    submissionId?: string;
    /** limits the event to webhooks with this idle time */
    idleMinutes?: number;
    data: () => WebhookEventData[Type];
  };
}[T];

/** Records events in the transaction that causes them. Writes nothing if no webhook and no feed receives them. */
export type RecordEvents = (trx: Executor, events: readonly NewEvent[]) => Promise<void>;

/** Records events with several recorders in sequence. */
export function recordWith(...recorders: RecordEvents[]): RecordEvents {
  return async (trx, events) => {
    for (const record of recorders) await record(trx, events);
  };
}

type RoutedEvent = { event: NewEvent; webhooks: readonly ListeningWebhook[] };

const messageTypes: ReadonlySet<WebhookEventType> = new Set(["message.created", "reply.finished", "reply.failed"]);

/** @param dispatch sends the deliveries after the transaction was committed */
export function createEventRecorder(
  deps: Pick<Deps, "db" | "databaseKind">,
  listeners: EventListeners,
  dispatch: EventDispatch,
): RecordEvents {
  const queries = recordQueries(deps);
  const insertDeliveries = createEventDeliveries(deps, dispatch);

  /** The numbers of these events within their conversations. A deleted conversation has none. */
  async function assignSequences(trx: Executor, routedEvents: readonly RoutedEvent[]) {
    const byConversation = Map.groupBy(
      routedEvents.filter(({ event }) => event.conversationId !== null),
      ({ event }) => event.conversationId ?? "",
    );
    const sequences = new Map<NewEvent, number>();
    // Update the rows in a fixed order, so that two processes cannot deadlock.
    for (const id of [...byConversation.keys()].sort()) {
      const events = byConversation.get(id) ?? [];
      const { rows } = await queries.advance(trx, { id, count: events.length });
      const [last] = rows;
      if (!last) continue;
      for (const [index, { event }] of events.entries()) {
        sequences.set(event, last.eventSequence - events.length + index + 1);
      }
    }
    return sequences;
  }

  async function write(trx: Executor, routedEvents: readonly RoutedEvent[]): Promise<void> {
    const sequences = await assignSequences(trx, routedEvents);
    const now = Date.now();
    const rows = routedEvents.map(({ event, webhooks }) => {
      const { organizationId, agentId, type } = event;
      const sequence = sequences.get(event) ?? null;
      const conversationId = sequence === null ? null : event.conversationId;
      const data = JSON.stringify(event.data());
      const { submissionId = null } = event;
      const id = newId("evt");
      return {
        row: { id, organizationId, agentId, conversationId, submissionId, sequence, type, data, createdAt: now },
        webhooks,
      };
    });
    await queries.insertEvents(
      trx,
      rows.map(({ row }) => row),
    );
    await insertDeliveries(trx, rows);
  }

  /** Restarts the timer of `conversation.idle` after a message. */
  async function restartTimer(trx: Executor, { organizationId, agentId, conversationId }: NewEvent): Promise<void> {
    if (agentId === null || conversationId === null) return;
    const [minutes] = listIdleMinutes(await listeners.get(trx, organizationId), agentId);
    if (minutes === undefined) return;
    const lastMessageAt = Date.now();
    await queries.restartTimer(trx, {
      conversationId,
      organizationId,
      lastMessageAt,
      reportedMinutes: 0,
      dueAt: lastMessageAt + minutes * MINUTE_MS,
    });
  }

  return async (trx, events) => {
    const routedEvents: RoutedEvent[] = [];
    for (const event of events) {
      const receivers = await listeners.get(trx, event.organizationId);
      if (!receivers.hasFeed && receivers.webhooks.length === 0) continue;
      const webhooks = filterWebhooks(receivers, event);
      if (messageTypes.has(event.type)) await restartTimer(trx, event);
      if (receivers.hasFeed || webhooks.length > 0) routedEvents.push({ event, webhooks });
    }
    if (routedEvents.length > 0) await write(trx, routedEvents);
  };
}

type NewRow = Omit<EventRow, "number" | "position">;
function recordQueries(deps: Pick<Deps, "db" | "databaseKind">) {
  const { db } = deps;
  return {
    advance: createEventNumbers(db),
    insertEvents: compileInsert<NewRow>(deps, "events", {
      id: "text",
      organizationId: "text",
      agentId: "text",
      conversationId: "text",
      submissionId: "text",
      sequence: "bigint",
      type: "text",
      data: "text",
      createdAt: "bigint",
    }),
    restartTimer: compileOnce<IdleTimerRow, never>((param) =>
      db
        .insertInto("idleTimers")
        .values({
          conversationId: param("conversationId"),
          organizationId: param("organizationId"),
          lastMessageAt: param("lastMessageAt"),
          reportedMinutes: param("reportedMinutes"),
          dueAt: param("dueAt"),
        })
        .onConflict((conflict) =>
          conflict.column("conversationId").doUpdateSet({
            lastMessageAt: sql`excluded."lastMessageAt"`,
            reportedMinutes: 0,
            dueAt: sql`excluded."dueAt"`,
          }),
        ),
    ),
  };
}

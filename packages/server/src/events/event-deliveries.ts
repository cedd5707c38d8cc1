import { sql } from "kysely";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { databaseNow } from "../db/database-clock.ts";
import { jsonRows, toJson } from "../db/json-rows.ts";
import type { Flag } from "../db/tables/column-types.ts";
import type { DeliveryRow } from "../db/tables/outbox.ts";
import { afterCommit, runsAfterCommit } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { failpoint } from "../failpoints.ts";
import { newId } from "../ids.ts";
import type { LeasedDelivery } from "../outbox/delivery-queue.ts";
import type { ListeningWebhook } from "./listeners.ts";
import { type EventToSend, LARGE_BYTES, type ToSend } from "./store.ts";

/** How the deliveries of recorded events are sent. */
export type EventDispatch = {
  /** how long a lease lasts, in milliseconds */
  leaseMs: number;
  /** how many new deliveries of an organization to this host may be leased to this process while they are written */
  countFreeSlots(sender: Pick<DeliveryRow, "organizationId" | "host">): number;
  /** sends a delivery that is leased to this process, after the commit */
  send(delivery: LeasedDelivery, content: ToSend): void;
  /** wakes the worker, which claims the other deliveries, after the commit */
  notify(): void;
};

type Recorded = { row: EventToSend; webhooks: readonly ListeningWebhook[] };

/**
 * Writes the deliveries of events that the same transaction has written. They are leased to this process immediately
 * and sent after the commit. This saves the worker from claiming and reading what was just written. Deliveries to busy
 * hosts and those of large events wait in the queue.
 */
export function createEventDeliveries(deps: Pick<Deps, "db" | "databaseKind">, dispatch: EventDispatch) {
  const insert = insertQuery(deps);
  return async (trx: Executor, recorded: readonly Recorded[]): Promise<void> => {
    const reserveSlot = createSlotReserver(trx, dispatch);
    const contents = new Map<string, ToSend>();
    const rows: NewDelivery[] = [];
    for (const { row, webhooks } of recorded) {
      for (const { id: webhookId, host, row: webhook } of webhooks) {
        const isLeased = reserveSlot({ organizationId: webhook.organizationId, host }, row.data);
        const id = newId("delivery");
        if (isLeased) contents.set(id, { event: row, webhook });
        rows.push({
          id,
          webhookId,
          eventId: row.id,
          host,
          createdAt: row.createdAt,
          isLeased: isLeased ? 1 : 0,
          leaseMs: isLeased ? dispatch.leaseMs : 0,
        });
      }
    }
    const inserted = rows.length > 0 ? (await insert(trx, { json: toJson(rows) })).rows : [];
    failpoint("event.committing");
    afterCommit(trx, () => {
      failpoint("event.committed");
      for (const delivery of inserted) {
        const content = contents.get(delivery.id);
        if (content) dispatch.send(delivery, content);
      }
      if (contents.size < rows.length) dispatch.notify();
    });
  };
}

/** @returns a function that takes a vacancy for a delivery of this data, if there is one */
function createSlotReserver(trx: Executor, { countFreeSlots }: EventDispatch) {
  const remaining = new Map<string, number>();
  // Without a notification of the commit, the delivery would have to wait until the lease ends.
  const isNotified = runsAfterCommit(trx);
  return (sender: Parameters<typeof countFreeSlots>[0], data: string): boolean => {
    if (!isNotified || Buffer.byteLength(data) > LARGE_BYTES) return false;
    const key = `${sender.organizationId} ${sender.host}`;
    const count = remaining.get(key) ?? countFreeSlots(sender);
    remaining.set(key, count - 1);
    return count > 0;
  };
}

type NewDelivery = Pick<DeliveryRow, "id" | "host" | "createdAt"> & {
  webhookId: string;
  eventId: string;
  isLeased: Flag;
  leaseMs: number;
};

/**
 * Skips webhooks that another process has deleted, because a reference to a deleted webhook would make the transaction
 * fail. The lock prevents their deletion until the end of the transaction.
 */
function insertQuery({ db, databaseKind: kind }: Pick<Deps, "db" | "databaseKind">) {
  return compileOnce<{ json: string }, LeasedDelivery>((param) =>
    db
      .insertInto("deliveries")
      .columns([
        ...(["id", "webhookId", "eventId", "host", "createdAt", "organizationId", "dueAt"] as const),
        ...(["kind", "purpose", "type"] as const),
        ...(["target", "state", "position", "attempts", "attemptsBefore", "fence", "isLeased"] as const),
      ])
      .expression(
        db
          .selectFrom(
            jsonRows<NewDelivery>(kind, param("json"), {
              id: "text",
              webhookId: "text",
              eventId: "text",
              host: "text",
              createdAt: "bigint",
              isLeased: "bigint",
              leaseMs: "bigint",
            }),
          )
          .innerJoin("webhooks", "webhooks.id", "rows.webhookId")
          .select([
            "rows.id",
            "rows.webhookId",
            "rows.eventId",
            "rows.host",
            "rows.createdAt",
            "webhooks.organizationId",
          ])
          .select([
            sql<number>`${databaseNow(kind)} + rows."leaseMs"`.as("dueAt"),
            sql.lit("event").as("kind"),
            sql.lit("event").as("purpose"),
            sql.lit("webhook").as("type"),
            sql.lit("{}").as("target"),
            sql.lit("pending").as("state"),
          ])
          .select((x) => [
            x.lit(0).as("position"),
            x.lit(0).as("attempts"),
            x.lit(0).as("attemptsBefore"),
            // The first lease has the number 1, even if it begins now.
            x.ref("rows.isLeased").as("fence"),
            x.ref("rows.isLeased").as("isLeased"),
          ])
          .$if(kind === "postgres", (query) => query.forKeyShare("webhooks")) as never,
      )
      .returningAll(),
  );
}

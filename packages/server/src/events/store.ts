import type { WebhookDeliveryQuery } from "@foyer/contract";
import { sql, type Transaction } from "kysely";
import { deleteInBatches } from "../db/clean-up.ts";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { lockRow } from "../db/lock-row.ts";
import type { Db } from "../db/open.ts";
import { takeWithinBytes } from "../db/page-bytes.ts";
import type { DeliveryAttemptRow, DeliveryRow, EventRow, WebhookRow } from "../db/tables/outbox.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { recordSentHosts } from "../outbox/sent-hosts.ts";

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** A delivery with the fields of its event that lists show. */
export type EventDelivery = Omit<DeliveryRow, "type" | "eventId" | "conversationId"> &
  Pick<EventRow, "type" | "agentId" | "conversationId"> & { eventId: string };

export type FailedRow = Pick<DeliveryRow, "id" | "target" | "host">;

const MAX_COUNTED = 10_000;
/**
 * The maximum total size of the responses in a list of deliveries. Without it, the responses of 100 deliveries could
 * take 32 MB.
 */
const RESPONSE_BYTES = 4 * 1024 * 1024;
/** Deleting a delivery with its attempts takes SQLite about 50 µs. */
const DELETED_AT_ONCE = 200;

/** The organization's webhooks and their deliveries. */
export function createWebhookStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  return { ...webhookQueries({ db, databaseKind }), ...deliveryLists(db), ...createSendQueries(db) };
}

function webhookQueries({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const selectOwned = (organizationId: string) =>
    db.selectFrom("webhooks").where("organizationId", "=", organizationId);
  return {
    async list(organizationId: string): Promise<WebhookRow[]> {
      return selectOwned(organizationId).selectAll().orderBy("id").execute();
    },
    async get(organizationId: string, id: string): Promise<WebhookRow | undefined> {
      return selectOwned(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /**
     * Adds the webhook unless the organization already has `max`. Locks the organization, so that two requests cannot
     * both use the last free slot.
     */
    async insert(row: WebhookRow, max: number, onWrite: (trx: Executor) => Promise<void>): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", row.organizationId);
        const ids = await trx
          .selectFrom("webhooks")
          .select("id")
          .where("organizationId", "=", row.organizationId)
          .limit(max)
          .execute();
        if (ids.length >= max) return false;
        await trx.insertInto("webhooks").values(row).execute();
        await onWrite(trx);
        return true;
      });
    },
    async update(organizationId: string, id: string, changes: Partial<WebhookRow>): Promise<WebhookRow | undefined> {
      return db
        .updateTable("webhooks")
        .set(changes)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .returningAll()
        .executeTakeFirst();
    },
    /** Deletes the deliveries first, in small transactions, because a webhook can have a very large number of them. */
    async delete(organizationId: string, id: string): Promise<void> {
      const deleteSome = async (trx: Transaction<Tables>, limit: number) => {
        const some = await trx.selectFrom("deliveries").select("id").where("webhookId", "=", id).limit(limit).execute();
        const ids = some.map((row) => row.id);
        await recordSentHosts({ db, databaseKind }, trx, { column: "id", ids });
        if (ids.length > 0) await trx.deleteFrom("deliveries").where("id", "in", ids).execute();
        return ids.length;
      };
      await deleteInBatches(db, deleteSome, DELETED_AT_ONCE);
      await db.deleteFrom("webhooks").where("id", "=", id).where("organizationId", "=", organizationId).execute();
    },
    /** Returns which of these agents belong to the organization. */
    async agentsAmong(organizationId: string, ids: readonly string[]): Promise<string[]> {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom("agents")
        .select("id")
        .where("organizationId", "=", organizationId)
        .where("deletedAt", "is", null)
        .where("id", "in", ids)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

function deliveryLists(db: Db) {
  const selectDeliveries = (webhookId: string) =>
    db
      .selectFrom("deliveries")
      .innerJoin("events", "events.id", "deliveries.eventId")
      .selectAll("deliveries")
      .select(["events.type as eventType", "events.agentId"])
      .select(["events.conversationId as eventConversationId"])
      .where("deliveries.webhookId", "=", webhookId);
  type Row = Awaited<ReturnType<ReturnType<typeof selectDeliveries>["execute"]>>[number];
  const toDelivery = ({ eventType, eventConversationId, ...row }: Row) =>
    ({ ...row, type: eventType, conversationId: eventConversationId }) as unknown as EventDelivery;

  return {
    /** Newest first. */
    async deliveries(
      webhookId: string,
      { status, limit, offset }: WebhookDeliveryQuery & { limit: number; offset: number },
    ) {
      const rows = await selectDeliveries(webhookId)
        .$if(status !== undefined, (query) => query.where("deliveries.state", "=", status ?? "pending"))
        .orderBy("deliveries.id", "desc")
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map(toDelivery);
    },
    async delivery(webhookId: string, id: string): Promise<EventDelivery | undefined> {
      const row = await selectDeliveries(webhookId).where("deliveries.id", "=", id).executeTakeFirst();
      return row && toDelivery(row);
    },
    async newest(webhookId: string): Promise<EventDelivery | undefined> {
      const row = await selectDeliveries(webhookId).orderBy("deliveries.id", "desc").limit(1).executeTakeFirst();
      return row && toDelivery(row);
    },
    /** The number of deliveries, up to 10,000. */
    async countDeliveries(webhookId: string, { status }: WebhookDeliveryQuery): Promise<number> {
      const some = db
        .selectFrom("deliveries")
        .select("id")
        .where("webhookId", "=", webhookId)
        .where("eventId", "is not", null)
        .$if(status !== undefined, (query) => query.where("state", "=", status ?? "pending"))
        .limit(MAX_COUNTED);
      const counted = db.selectFrom(some.as("some")).select((x) => x.fn.countAll<number>().as("n"));
      return Number((await counted.executeTakeFirstOrThrow()).n);
    },
    /** Failed deliveries of events with an id after `after`, oldest first. */
    async failedAfter(webhookId: string, after: string, limit: number): Promise<FailedRow[]> {
      return db
        .selectFrom("deliveries")
        .select(["id", "target", "host"])
        .where("webhookId", "=", webhookId)
        .where("eventId", "is not", null)
        .where("state", "=", "failed")
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
    },
    /**
     * The newest attempts of these deliveries, oldest first: at most `limit` of each. Responses are included for the
     * newest deliveries, up to `RESPONSE_BYTES` in total.
     */
    async attempts(deliveries: ReadonlyArray<Pick<DeliveryRow, "id">>, limit: number): Promise<DeliveryAttemptRow[]> {
      if (deliveries.length === 0) return [];
      const ids = deliveries.map(({ id }) => id);
      const newest = db
        .selectFrom("deliveryAttempts")
        .innerJoin("deliveries", "deliveries.id", "deliveryAttempts.deliveryId")
        .where("deliveryId", "in", ids)
        .where((x) => x("number", ">", x("deliveries.attempts", "-", x.lit(limit))))
        .orderBy("deliveryId", "desc")
        .orderBy("number", "desc");
      const sized = await newest
        .select(["deliveryId", "number", "startedAt", "durationMs", "status", "error", "detail", "redirect"])
        .select(sql<number>`coalesce(octet_length(response), 0)`.as("bytes"))
        .execute();
      const chosen = takeWithinBytes(sized, RESPONSE_BYTES);
      const read = await newest.select(["deliveryId", "number", "response"]).limit(chosen.length).execute();
      const responses = new Map(read.map(({ deliveryId, number, response }) => [`${deliveryId} ${number}`, response]));
      return sized
        .map(({ bytes: _, ...attempt }) => {
          const response = responses.get(`${attempt.deliveryId} ${attempt.number}`) ?? null;
          return { ...attempt, response };
        })
        .reverse();
    },
  };
}

/** The data for an attempt. `data` is null for a large event, whose data is read once it may be sent. */
export type ToSend = { event: Omit<EventToSend, "data"> & { data: string | null }; webhook: WebhookRow };
export type EventToSend = Omit<EventRow, "number" | "position" | "submissionId">;

/** Larger events, such as transcripts, are sent a few at a time. */
export const LARGE_BYTES = 256 * 1024;

function createSendQueries(db: Db) {
  const event = compileOnce<{ id: string }, ToSend["event"]>((param) =>
    db
      .selectFrom("events")
      .select(["id", "organizationId", "agentId", "conversationId", "sequence", "type", "createdAt"])
      .select(sql<string | null>`case when octet_length(data) <= ${sql.lit(LARGE_BYTES)} then data end`.as("data"))
      .where("id", "=", param("id")),
  );
  const webhook = compileOnce<{ id: string }, WebhookRow>((param) =>
    db.selectFrom("webhooks").selectAll().where("id", "=", param("id")),
  );
  return {
    /** Null when the event or the webhook was deleted. */
    async toSend({ eventId, webhookId }: Pick<DeliveryRow, "eventId" | "webhookId">): Promise<ToSend | null> {
      const [eventRow] = (await event(db, { id: eventId ?? "" })).rows;
      const [receiver] = (await webhook(db, { id: webhookId ?? "" })).rows;
      return eventRow && receiver ? { event: eventRow, webhook: receiver } : null;
    },
    /** The data of a large event. Null when it was deleted. */
    async readData(eventId: string): Promise<string | null> {
      const row = await db.selectFrom("events").select("data").where("id", "=", eventId).executeTakeFirst();
      return row?.data ?? null;
    },
    async findWebhook(id: string): Promise<WebhookRow | undefined> {
      return (await webhook(db, { id })).rows[0];
    },
  };
}

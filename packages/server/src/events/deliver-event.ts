import { DAY_MS } from "@foyer/contract/rules/time";
import { findMemberEmail, selectOwners } from "../auth/members/members.ts";
import { createBatchWriter } from "../db/batch-writer.ts";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { jsonRows, toJson } from "../db/json-rows.ts";
import type { DeliveryRow, WebhookRow } from "../db/tables/outbox.ts";
import { afterCommit } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { newId } from "../ids.ts";
import type { MailContent } from "../outbound/mail-content.ts";
import type { AttemptResult, CompletedAttempt } from "../outbox/attempts.ts";
import type { LeasedDelivery, NewDelivery } from "../outbox/delivery-queue.ts";
import { hostOf, MAIL_HOST } from "../outbox/host-of.ts";
import type { DeliveryHandler, OpenDelivery, Outbox } from "../outbox/outbox.ts";
import { createPayloadSlots, deliveryWithoutSlot } from "../outbox/payload-slots.ts";
import { createFailure, createPost, delivered, explainFailure } from "../outbox/send-response.ts";
import { recordSentHosts } from "../outbox/sent-hosts.ts";
import { listActiveSecrets, readSigningSecret } from "../outbox/signing-secret.ts";
import { createWebhookHeaders } from "../outbox/webhook-signature.ts";
import { createEventBody } from "./event-view.ts";
import type { EventListeners } from "./listeners.ts";
import type { EventToSend, ToSend, WebhookStore } from "./store.ts";

/** A webhook that has failed for this long is disabled. */
const DISABLED_AFTER_MS = 5 * DAY_MS;

type Sending = {
  body: Buffer;
  id: string;
  webhook: WebhookRow;
  signal: AbortSignal;
  /** called before the event is also sent to another host */
  onMove?: (host: string) => Promise<void>;
};

/** Signs and posts one event. The receiver's failures are part of the result. */
export function createEventSender(deps: Pick<Deps, "config" | "outbound" | "encryption" | "log">) {
  const post = createPost(deps);
  return async ({ body, id, webhook, signal, onMove }: Sending): Promise<AttemptResult> => {
    try {
      const secrets = listActiveSecrets(readSigningSecret(webhook, deps.encryption, webhook.id));
      return await post({
        url: webhook.url,
        organizationId: webhook.organizationId,
        headers: createWebhookHeaders({ id, sentAt: new Date(), body, secrets }),
        body,
        signal,
        ...(onMove ? { onMove } : {}),
      });
    } catch (error) {
      return explainFailure(error, signal, deps.log);
    }
  };
}

/**
 * Postpones a delivery to a webhook whose URL now has a different host. The delivery is claimed again when the new host
 * has a free slot.
 */
const movedDelivery: OpenDelivery = { send: async () => ({ postponedMs: 0 }) };

type HandlerParts = {
  store: WebhookStore;
  outbox: Outbox;
  listeners: EventListeners;
  /** what a delivery sends; null when the event or the webhook was deleted */
  contentOf?: (delivery: LeasedDelivery) => Promise<ToSend | null>;
};

/** Sends the deliveries of webhooks, and disables a webhook that keeps failing. */
export function createEventHandler(
  deps: Pick<Deps, "db" | "databaseKind" | "config" | "outbound" | "encryption" | "mailer" | "log">,
  { store, outbox, listeners, contentOf = store.toSend }: HandlerParts,
): DeliveryHandler {
  const send = createEventSender(deps);
  const slots = createPayloadSlots();
  const record = createBatchWriter(deps.db, createEventRecords(deps, outbox, listeners), { maxItems: 200 });

  async function sendEvent(
    delivery: DeliveryRow,
    { event, webhook }: { event: EventToSend; webhook: WebhookRow },
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    if (webhook.isEnabled === 0) {
      const detail = "The webhook was disabled before the event could be sent. Enable it, then send the event again.";
      return { ...createFailure("The webhook is disabled", detail), isFinal: true };
    }
    const body = Buffer.from(createEventBody(event, webhook.payload));
    const onMove = (host: string) => recordSentHosts(deps, deps.db, { column: "id", ids: [delivery.id], host });
    return send({ body, id: event.id, webhook, signal, onMove });
  }

  async function sendNotice(delivery: DeliveryRow, webhook: WebhookRow, signal: AbortSignal): Promise<AttemptResult> {
    const { recipientId }: { recipientId: string } = JSON.parse(delivery.target);
    const { organizationId } = webhook;
    const to = await findMemberEmail(deps.db, organizationId, recipientId);
    if (!to) return { ...createFailure("No recipient", "The owner has left the organization."), isFinal: true };
    try {
      await deps.mailer.send({ to, organizationId, ...createDisabledNotice(webhook, deps.config.baseUrl) });
      return delivered;
    } catch (error) {
      return explainFailure(error, signal, deps.log);
    }
  }

  /** A large event acquires a slot before its data is read, so that few of them are in memory at the same time. */
  async function openEvent(
    delivery: DeliveryRow,
    { event, webhook }: ToSend,
    signal: AbortSignal,
  ): Promise<OpenDelivery | null> {
    const { data } = event;
    if (data !== null) return { send: () => sendEvent(delivery, { event: { ...event, data }, webhook }, signal) };
    const close = await slots.acquire(delivery, signal);
    if (!close) return deliveryWithoutSlot;
    try {
      const largeData = await store.readData(event.id);
      if (largeData === null) {
        close();
        return null;
      }
      return { send: () => sendEvent(delivery, { event: { ...event, data: largeData }, webhook }, signal), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  return {
    async open(delivery, signal) {
      if (delivery.purpose === "notice") {
        const webhook = await store.findWebhook(delivery.webhookId ?? "");
        return webhook ? { send: () => sendNotice(delivery, webhook, signal) } : null;
      }
      const content = await contentOf(delivery);
      if (!content) return null;
      const host = hostOf(content.webhook.url);
      if (host === delivery.host) return openEvent(delivery, content, signal);
      await outbox.queue.move(delivery, host);
      return movedDelivery;
    },
    record,
  };
}

/** Records attempts, and how long each webhook has been failing. */
function createEventRecords(
  { db, databaseKind, mailer }: Pick<Deps, "db" | "databaseKind" | "mailer">,
  outbox: Outbox,
  listeners: EventListeners,
) {
  const recover = compileOnce<{ json: string }, never>((param) =>
    db
      .updateTable("webhooks")
      .set({ failingSince: null })
      .where(
        "id",
        "in",
        db.selectFrom(jsonRows<{ id: string }>(databaseKind, param("json"), { id: "text" })).select("rows.id"),
      )
      .where("failingSince", "is not", null),
  );
  const listWebhookIds = (batch: readonly CompletedAttempt[]) =>
    [...new Set(batch.map(({ delivery }) => delivery.webhookId ?? ""))].sort();

  async function disable(trx: Executor, webhooks: readonly string[], now: number): Promise<void> {
    const days = DISABLED_AFTER_MS / DAY_MS;
    const failing = db
      .updateTable("webhooks")
      .set({ isEnabled: 0, disabledReason: `Every attempt has failed for ${days} days.`, updatedAt: now })
      .where("id", "in", webhooks)
      .where("isEnabled", "=", 1)
      .where("failingSince", "<=", now - DISABLED_AFTER_MS)
      .returning(["id", "organizationId"]);
    for (const { id, organizationId } of (await trx.executeQuery(failing.compile())).rows) {
      afterCommit(trx, () => listeners.forget(organizationId));
      if (!mailer.isConfigured) continue;
      const owners = await trx.executeQuery(selectOwners(db, organizationId).compile());
      const notices = owners.rows.map(({ userId }) => createNotice({ id, organizationId }, userId, now));
      await outbox.queue.insert(trx, notices, 0);
    }
  }

  return async (trx: Executor, batch: readonly CompletedAttempt[]): Promise<LeasedDelivery[][]> => {
    const numbers = await outbox.attempts.settle(trx, batch);
    const recorded = batch.filter(({ delivery }) => numbers.has(delivery.id) && delivery.purpose === "event");
    const now = Date.now();
    const successful = listWebhookIds(recorded.filter(({ next }) => next.state === "delivered"));
    const failing = listWebhookIds(recorded.filter(({ next }) => next.state !== "delivered")).filter(
      (id) => !successful.includes(id),
    );
    if (successful.length > 0) await recover(trx, { json: toJson(successful.map((id) => ({ id }))) });
    if (failing.length > 0) {
      const fail = db.updateTable("webhooks").set({ failingSince: now }).where("id", "in", failing);
      await trx.executeQuery(fail.where("failingSince", "is", null).where("isEnabled", "=", 1).compile());
      await disable(trx, failing, now);
    }
    return batch.map(() => []);
  };
}

function createNotice(
  { id: webhookId, organizationId }: Pick<WebhookRow, "id" | "organizationId">,
  recipientId: string,
  createdAt: number,
): NewDelivery {
  return {
    id: newId("delivery"),
    organizationId,
    kind: "event",
    submissionId: null,
    webhookId,
    eventId: null,
    position: 0,
    purpose: "notice",
    type: "email",
    target: JSON.stringify({ recipientId }),
    host: MAIL_HOST,
    state: "pending",
    attempts: 0,
    attemptsBefore: 0,
    fence: 0,
    createdAt,
  };
}

function createDisabledNotice({ id, url, description }: WebhookRow, baseUrl: string): MailContent {
  const host = hostOf(url);
  const parts = [
    `Foyer has disabled the webhook ${description ?? host} because every attempt to reach ${host} has failed for five days.`,
    `Events are not sent to it anymore. Fix the receiver, enable the webhook (PATCH ${baseUrl}/webhooks/${id} with {"isEnabled": true}), and send the failed events again (POST ${baseUrl}/webhooks/${id}/retry).`,
  ];
  return { subject: `Webhook disabled: ${description ?? host}`, parts };
}

import {
  maxWebhooks,
  type Webhook,
  type WebhookChanges,
  type WebhookCreate,
  type WebhookDelivery,
  type WebhookDeliveryQuery,
  type WebhookEventType,
  type WebhookSecret,
  type WebhookTest,
} from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { sampleEvent } from "@foyer/contract/rules/sample-events";
import type { DeliveryAttemptRow, WebhookRow } from "../db/tables/outbox.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, checkAllSequentially, invalid, notFound } from "../errors.ts";
import type { PartialBody } from "../http/body-rules.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId, newId } from "../ids.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { toAttempt } from "../outbox/attempts.ts";
import { hideAddress, hideAddresses } from "../outbox/hide-address.ts";
import { hostOf } from "../outbox/host-of.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { createSigningSecret, readSigningSecret } from "../outbox/signing-secret.ts";
import { createEventSender } from "./deliver-event.ts";
import type { EventListeners } from "./listeners.ts";
import type { EventDelivery, FailedRow, WebhookStore } from "./store.ts";

const DEFAULT_IDLE_MINUTES = 30;
const PAGE = { default: 20, max: 100 };
const SHOWN_ATTEMPTS = 20;
/** The number of failed deliveries that are queued again in one transaction. */
const RETRIED_AT_ONCE = 200;

/** `isAdmin`: may change webhooks, and therefore sees their complete addresses. */
type WebhookViewer = { isAdmin: boolean };

type Parts = { store: WebhookStore; outbox: Outbox; listeners: EventListeners };
type ServiceDeps = Pick<Deps, "db" | "config" | "outbound" | "encryption" | "log">;

/** Manages an organization's webhooks and their deliveries. */
export function createWebhookService(deps: ServiceDeps, { store, outbox, listeners }: Parts) {
  const { db, config, encryption, outbound } = deps;
  const send = createEventSender(deps);
  /** @throws 404 when the organization has no such webhook */
  const findWebhook = async (organizationId: string, id: string): Promise<WebhookRow> => {
    const row = isId("webhook", id) ? await store.get(organizationId, id) : undefined;
    if (!row) throw notFound("Webhook");
    return row;
  };

  /** Checks what the schema of the body cannot express. @throws 400 with the path of a problem in each setting */
  async function check(organizationId: string, { url, agentIds }: Pick<WebhookChanges, "url" | "agentIds">) {
    await checkAllSequentially([
      () => {
        if (url !== undefined) checkUrl(url, outbound);
      },
      async () => {
        const unique = [...new Set(agentIds ?? [])];
        const knownIds = await store.agentsAmong(organizationId, unique);
        const index = agentIds?.findIndex((agentId) => !knownIds.includes(agentId)) ?? -1;
        if (index >= 0) throw invalid(`agentIds.${index}`, "is not an agent of this organization", "unknown_reference");
      },
    ]);
  }

  async function toWebhook(row: WebhookRow): Promise<Webhook> {
    const last = await store.newest(row.id);
    const [attempt] = last ? await store.attempts([last], 1) : [];
    return toWebhookView(row, last, attempt);
  }

  async function delivery(webhookId: string, id: string): Promise<EventDelivery> {
    const row = isId("delivery", id) ? await store.delivery(webhookId, id) : undefined;
    if (!row) throw notFound("Delivery");
    return row;
  }

  async function detail(row: EventDelivery): Promise<WebhookDelivery> {
    return toDelivery(row, await store.attempts([row], SHOWN_ATTEMPTS));
  }

  return {
    async list(organizationId: string, viewer: WebhookViewer): Promise<Webhook[]> {
      const webhooks = await Promise.all((await store.list(organizationId)).map(toWebhook));
      return viewer.isAdmin ? webhooks : webhooks.map(toMemberView);
    },
    async get(organizationId: string, id: string, viewer: WebhookViewer): Promise<Webhook> {
      const webhook = await toWebhook(await findWebhook(organizationId, id));
      return viewer.isAdmin ? webhook : toMemberView(webhook);
    },
    /**
     * Checks the valid parts of a body that its schema rejects, so that one response lists all problems. `id` is null
     * for a new webhook.
     * @throws 400, or 404
     */
    async checkPart(organizationId: string, id: string | null, { body }: PartialBody<WebhookChanges>): Promise<void> {
      if (id !== null) await findWebhook(organizationId, id);
      await check(organizationId, body);
    },
    /** @throws 400 for a URL that must not be called or an unknown agent, 409 when there are too many webhooks */
    async create(organizationId: string, input: WebhookCreate, keep?: SaveResponse): Promise<Webhook> {
      await check(organizationId, input);
      const row = createRow(organizationId, input, encryption);
      const created = toWebhookView(row, undefined, undefined);
      const isAdded = await store.insert(row, maxWebhooks, async (trx) => keep?.(trx, null, created));
      if (!isAdded) throw new AppError("CONFLICT", `An organization can have at most ${maxWebhooks} webhooks.`);
      listeners.forget(organizationId);
      return created;
    },
    /** Enabling a webhook again clears its `disabledReason`. */
    async update(organizationId: string, id: string, changes: WebhookChanges): Promise<Webhook> {
      await findWebhook(organizationId, id);
      await check(organizationId, changes);
      const { url, events, agentIds, payload, idleMinutes, description, isEnabled } = changes;
      const row = await store.update(organizationId, id, {
        ...omitUndefined({
          url,
          events: events && JSON.stringify([...new Set(events)]),
          agentIds: agentIds && JSON.stringify([...new Set(agentIds)]),
          payload,
          idleMinutes,
          description,
        }),
        ...(isEnabled === undefined ? {} : { isEnabled: isEnabled ? 1 : 0, disabledReason: null, failingSince: null }),
        updatedAt: Date.now(),
      });
      listeners.forget(organizationId);
      if (!row) throw notFound("Webhook");
      return toWebhook(row);
    },
    async delete(organizationId: string, id: string): Promise<void> {
      await findWebhook(organizationId, id);
      await store.update(organizationId, id, { isEnabled: 0 });
      listeners.forget(organizationId);
      await store.delete(organizationId, id);
    },
    async secret(organizationId: string, id: string): Promise<WebhookSecret> {
      return readSigningSecret(await findWebhook(organizationId, id), encryption, id);
    },
    async rotateSecret(organizationId: string, id: string): Promise<WebhookSecret> {
      const { secret } = await findWebhook(organizationId, id);
      const row = await store.update(organizationId, id, {
        secret: encryption.encrypt(createSigningSecret(), id),
        previousSecret: secret,
        rotatedAt: Date.now(),
      });
      listeners.forget(organizationId);
      if (!row) throw notFound("Webhook");
      return readSigningSecret(row, encryption, id);
    },
    /** Sends a sample event, even to a disabled webhook. Nothing is stored. */
    async test(organizationId: string, id: string, type: WebhookEventType): Promise<WebhookTest> {
      const webhook = await findWebhook(organizationId, id);
      const [agentId]: string[] = JSON.parse(webhook.agentIds);
      const createdAt = new Date().toISOString();
      const event = sampleEvent(type, {
        id: newId("evt"),
        organizationId,
        agentId: agentId ?? null,
        createdAt,
        payload: webhook.payload,
      });
      const startedAt = performance.now();
      const { status, error, detail, response } = await send({
        body: Buffer.from(JSON.stringify(event)),
        id: event.id,
        webhook,
        signal: new AbortController().signal,
      });
      const durationMs = Math.round(performance.now() - startedAt);
      return { isDelivered: error === null, status, error, detail, response, durationMs };
    },
    async deliveries(
      organizationId: string,
      id: string,
      { query, viewer }: { query: WebhookDeliveryQuery; viewer: WebhookViewer },
    ) {
      await findWebhook(organizationId, id);
      const limit = Math.min(query.limit ?? PAGE.default, PAGE.max);
      const offset = query.offset ?? 0;
      const rows = await store.deliveries(id, { ...query, limit, offset });
      const attempts = await store.attempts(rows, SHOWN_ATTEMPTS);
      return {
        deliveries: rows.map((row) => toDelivery(row, viewer.isAdmin ? attempts : attempts.map(hideAttemptAddresses))),
        pagination: { total: await store.countDeliveries(id, query), limit, offset },
      };
    },
    /** @throws 409 while the webhook is disabled or the delivery is being sent */
    async retry(organizationId: string, id: string, deliveryId: string): Promise<WebhookDelivery> {
      const webhook = await findWebhook(organizationId, id);
      checkEnabled(webhook);
      const row = await delivery(id, deliveryId);
      const address = { target: row.target, host: hostOf(webhook.url) };
      const leased = await inTransaction(db, (trx) => outbox.queue.retry(trx, row, address));
      if (leased.length === 0) {
        throw new AppError("CONFLICT", "This event is being sent right now. Try again in a minute.");
      }
      await outbox.worker.runWithin(leased, config.webhooks.submitWait);
      return detail(await delivery(id, deliveryId));
    },
    /** @returns the number of failed deliveries that were queued again */
    async retryFailed(organizationId: string, id: string): Promise<number> {
      const webhook = await findWebhook(organizationId, id);
      checkEnabled(webhook);
      const host = hostOf(webhook.url);
      let retried = 0;
      for (let after: string | undefined = ""; after !== undefined; ) {
        const failed: FailedRow[] = await store.failedAfter(id, after, RETRIED_AT_ONCE);
        const rows = failed.map(({ id: failedId, ...previous }) => ({ ...previous, id: failedId, host, previous }));
        if (rows.length > 0) {
          retried += (await inTransaction(db, (trx) => outbox.queue.retryFailed(trx, rows))).size;
          outbox.worker.notify();
          // Let other requests run between the parts, because SQLite runs in this process.
          await new Promise(setImmediate);
        }
        after = failed.length < RETRIED_AT_ONCE ? undefined : failed.at(-1)?.id;
      }
      return retried;
    },
  };
}

/** A new webhook, with defaults for what `input` leaves out. */
function createRow(organizationId: string, input: WebhookCreate, encryption: Deps["encryption"]): WebhookRow {
  const now = Date.now();
  const id = newId("webhook");
  return {
    id,
    organizationId,
    url: input.url,
    description: input.description ?? null,
    events: JSON.stringify([...new Set(input.events)]),
    agentIds: JSON.stringify([...new Set(input.agentIds ?? [])]),
    payload: input.payload ?? "full",
    idleMinutes: input.idleMinutes ?? DEFAULT_IDLE_MINUTES,
    isEnabled: input.isEnabled === false ? 0 : 1,
    disabledReason: null,
    failingSince: null,
    secret: encryption.encrypt(createSigningSecret(), id),
    previousSecret: null,
    rotatedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

function checkUrl(url: string, outbound: Deps["outbound"]): void {
  try {
    outbound.checkUrl(url);
  } catch (error) {
    throw error instanceof OutboundError ? invalid("url", error.message, "not_allowed") : error;
  }
}

function checkEnabled({ isEnabled }: WebhookRow): void {
  if (isEnabled === 0) throw new AppError("CONFLICT", "The webhook is disabled. Enable it first.");
}

const toIsoDate = (instant: number) => new Date(instant).toISOString();

function toWebhookView(
  row: WebhookRow,
  last: EventDelivery | undefined,
  attempt: DeliveryAttemptRow | undefined,
): Webhook {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events),
    agentIds: JSON.parse(row.agentIds),
    payload: row.payload,
    idleMinutes: row.idleMinutes,
    isEnabled: row.isEnabled === 1,
    disabledReason: row.disabledReason,
    lastDelivery: last
      ? {
          id: last.id,
          eventId: last.eventId,
          eventType: last.type,
          state: last.state,
          at: toIsoDate(attempt?.startedAt ?? last.createdAt),
          status: attempt?.status ?? null,
          error: attempt?.error ?? null,
        }
      : null,
    createdAt: toIsoDate(row.createdAt),
    updatedAt: toIsoDate(row.updatedAt),
  };
}

function toMemberView({ url, disabledReason, ...webhook }: Webhook): Webhook {
  return {
    ...webhook,
    url: hideAddress(url),
    disabledReason: disabledReason === null ? null : hideAddresses(disabledReason),
  };
}

/** An attempt's explanation can quote the address, for example when the receiver redirects to another one. */
function hideAttemptAddresses(attempt: DeliveryAttemptRow): DeliveryAttemptRow {
  const { detail, redirect } = attempt;
  return {
    ...attempt,
    detail: detail === null ? null : hideAddresses(detail),
    redirect: redirect === null ? null : hideAddresses(redirect),
  };
}

function toDelivery(row: EventDelivery, attempts: readonly DeliveryAttemptRow[]): WebhookDelivery {
  return {
    id: row.id,
    eventId: row.eventId,
    eventType: row.type,
    agentId: row.agentId,
    conversationId: row.conversationId,
    state: row.state,
    createdAt: toIsoDate(row.createdAt),
    nextAttemptAt: row.state === "pending" ? toIsoDate(row.dueAt) : null,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === row.id).map(toAttempt),
  };
}

import type { WebhookEventType } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

/** The tables of the outbox and of conversation events, as Kysely sees them. */
export type OutboxTables = {
  deliveries: DeliveryTable;
  deliveryAttempts: DeliveryAttemptRow;
  webhooks: WebhookRow;
  events: EventTable;
  eventFeeds: EventFeedRow;
  idleTimers: IdleTimerRow;
};

/** The content of a delivery. The handler of this kind sends it, see outbox/outbox.ts. */
export type DeliveryKind = "submission" | "event" | "notice" | "team_chat";

/**
 * A delivery waits in the outbox until it is sent or has failed permanently. It belongs to a submission (a form's
 * webhook, a post action, a confirmation, or a notice that one of them failed permanently), to a webhook (an event, or
 * a notice that the webhook was disabled) or to a conversation (a notice about its handoff), and is deleted with it.
 */
export type DeliveryRow = {
  id: string;
  /** the organization whose share of the outbox it uses */
  organizationId: string;
  kind: DeliveryKind;
  submissionId: string | null;
  webhookId: string | null;
  eventId: string | null;
  /** set for a notice about a conversation's handoff */
  conversationId?: string | null;
  /** the order within a submission: 0 for the webhook, then the post actions in order, then notices */
  position: number;
  purpose: "webhook" | "action" | "confirmation" | "notice" | "event";
  type: "webhook" | "team_chat" | "slack" | "email";
  target: Json;
  /** the receiver's host; concurrency is limited per host */
  host: string;
  /** `waiting` until the first attempts of the submission's earlier deliveries */
  state: "waiting" | "pending" | "delivered" | "failed";
  /** all attempts so far */
  attempts: number;
  /** attempts before the last manual retry */
  attemptsBefore: number;
  /** when it may be claimed, by the database's clock: the time of the next attempt, or the end of the current lease */
  dueAt: Instant;
  /** number of the lease; only the holder of the newest lease may record the outcome */
  fence: number;
  createdAt: Instant;
};

type DeliveryTable = Omit<DeliveryRow, "organizationId" | "conversationId"> & {
  organizationId: Generated<string>;
  conversationId: Generated<string | null>;
  /** 1 from the start of a lease until the outcome is recorded. The lease ends at `dueAt` in any case. */
  isLeased: Generated<Flag>;
};

export type DeliveryAttemptRow = {
  deliveryId: string;
  /** 1, 2, 3, … */
  number: number;
  startedAt: Instant;
  durationMs: number;
  /** the HTTP status of the response, if there was one */
  status: number | null;
  /** general message that anyone may see; `null` when it was delivered */
  error: string | null;
  /** full message for the organization's members */
  detail: string | null;
  response: string | null;
  /** the redirect that came first, as JSON */
  redirect: Json | null;
};

/** A subscription of an organization to its events. */
export type WebhookRow = {
  id: string;
  organizationId: string;
  url: string;
  description: string | null;
  /** event types, or `["*"]` */
  events: Json;
  /** empty for all agents */
  agentIds: Json;
  payload: "full" | "ids";
  /** minutes without a message until `conversation.idle` */
  idleMinutes: number;
  isEnabled: Flag;
  /** why the server disabled it; null when a member did */
  disabledReason: string | null;
  /** the first failed attempt since the last successful one */
  failingSince: Instant | null;
  /** encrypted, like `previousSecret` */
  secret: string;
  previousSecret: string | null;
  rotatedAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Something that happened, for webhooks and the feed. Kept for 30 days. */
export type EventRow = {
  /** in the order of writing, which differs from the order in which PostgreSQL commits */
  number: number;
  id: string;
  organizationId: string;
  agentId: string | null;
  conversationId: string | null;
  /** the submission that the event reports; deleting it deletes the event */
  submissionId: string | null;
  /** 1, 2, 3, … within the conversation */
  sequence: number | null;
  type: WebhookEventType;
  /** the full payload; webhooks may ask for the ids only */
  data: Json;
  /** 1, 2, 3, … within the organization's feed; null until the feed has included the event */
  position: number | null;
  createdAt: Instant;
};

type EventTable = Omit<EventRow, "number"> & { number: Generated<number> };

/** An organization's feed of events. */
export type EventFeedRow = {
  organizationId: string;
  isEnabled: Flag;
  /** the position of the newest event that the feed includes */
  lastPosition: number;
  /** the position up to which events were deleted because the organization had too many */
  droppedThrough: number;
};

/**
 * A conversation whose next `conversation.idle` is due at `dueAt`. Written only while a webhook or the feed uses it.
 */
export type IdleTimerRow = {
  conversationId: string;
  organizationId: string;
  lastMessageAt: Instant;
  /** the largest number of idle minutes that was reported since the last message */
  reportedMinutes: number;
  dueAt: Instant;
};

/** The number of events of a conversation so far. It stays 0 while no webhook or feed uses them. */
export type EventColumns = { eventSequence: Generated<number> };

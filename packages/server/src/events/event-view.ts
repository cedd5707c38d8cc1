import type { WebhookEvent } from "@foyer/contract";
import { dataFor } from "@foyer/contract/rules/webhook-events";
import type { WebhookRow } from "../db/outbox-tables.ts";
import type { EventToSend } from "./store.ts";

/** The body that a webhook receives and the feed lists. It is the same for every attempt. */
export function toEvent(row: EventToSend, payload: WebhookRow["payload"]): WebhookEvent {
  const { id, type, createdAt, organizationId, agentId, conversationId, sequence } = row;
  return {
    id,
    type,
    createdAt: new Date(createdAt).toISOString(),
    organizationId,
    agentId,
    conversationId,
    sequence,
    data: dataFor(payload, type, JSON.parse(row.data)),
  };
}

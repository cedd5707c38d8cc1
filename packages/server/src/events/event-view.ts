import type { WebhookEvent } from "@foyer/contract";
import { selectEventData } from "@foyer/contract/rules/webhook-events";
import type { WebhookRow } from "../db/tables/outbox.ts";
import type { EventToSend } from "./store.ts";

/** An event as the feed lists it. */
export function toEvent(row: EventToSend, payload: WebhookRow["payload"]): WebhookEvent {
  return { ...createEnvelope(row), data: selectEventData(payload, row.type, JSON.parse(row.data)) };
}

/** The body that a webhook receives: the JSON of `toEvent`. It is the same for every attempt. */
export function createEventBody(row: EventToSend, payload: WebhookRow["payload"]): string {
  if (payload !== "full") return JSON.stringify(toEvent(row, payload));
  // The stored data is inserted as text, because parsing and serializing a transcript takes long.
  return `${JSON.stringify(createEnvelope(row)).slice(0, -1)},"data":${row.data}}`;
}

function createEnvelope({ id, type, createdAt, organizationId, agentId, conversationId, sequence }: EventToSend) {
  return {
    id,
    type,
    createdAt: new Date(createdAt).toISOString(),
    organizationId,
    agentId,
    conversationId,
    sequence,
  };
}

import type { WebhookEvent, WebhookEventType } from "@foyer/contract";
import type { EventRow, WebhookRow } from "../db/outbox-tables.ts";

/** What a webhook with the payload `ids` does not receive. */
const contentFields: Partial<Record<WebhookEventType, readonly string[]>> = {
  "conversation.started": ["title", "userEmail", "userName"],
  "message.created": ["content"],
  "reply.finished": ["content", "toolCalls"],
  "reply.failed": ["content"],
  "message.rated": ["comment"],
  "conversation.idle": ["messages"],
  "form.submitted": ["formData"],
};

/** The body that a webhook receives and the feed lists. It is the same for every attempt. */
export function toEvent(row: Omit<EventRow, "number" | "position">, payload: WebhookRow["payload"]): WebhookEvent {
  const { id, type, createdAt, organizationId, agentId, conversationId, sequence } = row;
  const data: Record<string, unknown> = JSON.parse(row.data);
  if (payload === "ids") for (const field of contentFields[type] ?? []) delete data[field];
  return {
    id,
    type,
    createdAt: new Date(createdAt).toISOString(),
    organizationId,
    agentId,
    conversationId,
    sequence,
    data,
  };
}

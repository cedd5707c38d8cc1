/** The events that webhooks and the event feed report. More types can be added later. */
export const webhookEventTypes = [
  "conversation.started",
  "message.created",
  "reply.finished",
  "reply.failed",
  "message.rated",
  "conversation.rated",
  "conversation.idle",
  "conversation.handed_over",
  "conversation.status_changed",
  "form.submitted",
  "form.delivery_failed",
  "agent.budget_reached",
  "visitor.erased",
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** When each event is sent. */
export const webhookEventDescriptions: Record<WebhookEventType, string> = {
  "conversation.started": "A visitor started a conversation.",
  "message.created": "A visitor sent a message.",
  "reply.finished": "A reply was stored.",
  "reply.failed": "A reply ended with an error.",
  "message.rated": "A visitor rated a message.",
  "conversation.rated": "A visitor rated a conversation, or corrected the rating.",
  "conversation.idle": "No new message for the time set below. Sent again only after new messages.",
  "conversation.handed_over":
    "A person was requested, a member took the conversation over, or it went back to the agent.",
  "conversation.status_changed": "A conversation was resolved, snoozed or opened again.",
  "form.submitted": "A visitor submitted a form.",
  "form.delivery_failed": "A submission's webhook or post action failed permanently.",
  "agent.budget_reached": "An agent used up its monthly token budget.",
  "visitor.erased": "A visitor's data was erased. Erase it from your systems, too.",
};

/** The fields of `data` that a webhook with the payload `ids` does not receive. */
const contentFields: Partial<Record<WebhookEventType, readonly string[]>> = {
  "conversation.started": ["title", "userEmail", "userName"],
  "message.created": ["content", "contentRef", "attachments"],
  "reply.finished": ["content", "contentRef", "toolCalls"],
  "reply.failed": ["content", "contentRef"],
  "message.rated": ["comment"],
  "conversation.rated": ["comment"],
  "conversation.idle": ["messages"],
  "conversation.handed_over": ["reason", "summary"],
  "form.submitted": ["formData"],
};

/** The `data` of an event as a webhook with this payload receives it. */
export function selectEventData(
  payload: "full" | "ids",
  type: WebhookEventType,
  data: Record<string, unknown>,
): Record<string, unknown> {
  if (payload === "full") return data;
  const left = new Set(contentFields[type] ?? []);
  return Object.fromEntries(Object.entries(data).filter(([name]) => !left.has(name)));
}

import { selectEventData, type WebhookEventType } from "../rules/webhook-events.ts";
import type { WebhookEventData } from "./events.ts";

/** The `data` of a sample event of each type, for tests of webhooks and for the dashboard. */
export const sampleEventData: WebhookEventData = {
  "conversation.started": {
    title: "Is the City 3 in stock?",
    sessionId: "s_5b1f6c",
    userId: "user-1042",
    userEmail: "ada@example.com",
    userName: "Ada",
    isUserVerified: true,
    isTest: false,
  },
  "message.created": { messageId: "msg_01jd3v7b2q5s8w1y4h7k0m3p6t", content: "Is the City 3 in stock?" },
  "reply.finished": {
    messageId: "msg_01jd3v7c9hf0mtb8s6wxq2zy4c",
    content: "Yes, we have four of them.",
    toolCalls: [{ id: "call_1", name: "stock", input: { sku: "city-3" }, result: '{"available":4}', isError: false }],
    stopReason: "end_turn",
    model: "openai/gpt-5-mini",
    inputTokens: 412,
    outputTokens: 38,
    durationMs: 1_840,
  },
  "reply.failed": {
    messageId: "msg_01jd3v7c9hf0mtb8s6wxq2zy4c",
    content: "",
    code: "MODEL_UNAVAILABLE",
    message: "The provider responded with HTTP 503.",
    model: "openai/gpt-5-mini",
    durationMs: 5_120,
  },
  "message.rated": { messageId: "msg_01jd3v7c9hf0mtb8s6wxq2zy4c", rating: "up", comment: "That helped." },
  "conversation.rated": {
    score: 5,
    comment: "Quick and friendly.",
    memberId: "user_01jd3v5a2q5s8w1y4h7k0m3p6t",
    isCorrection: false,
  },
  "conversation.idle": {
    idleMinutes: 30,
    lastMessageAt: "2026-01-31T09:30:02.000Z",
    messageCount: 2,
    isTruncated: false,
    messages: [
      {
        id: "msg_01jd3v7b2q5s8w1y4h7k0m3p6t",
        role: "user",
        content: "Is the City 3 in stock?",
        createdAt: "2026-01-31T09:30:00.000Z",
      },
      {
        id: "msg_01jd3v7c9hf0mtb8s6wxq2zy4c",
        role: "assistant",
        content: "Yes, we have four of them.",
        createdAt: "2026-01-31T09:30:02.000Z",
      },
    ],
  },
  "conversation.handed_over": {
    change: "requested",
    handler: "waiting",
    epoch: 1,
    assigneeId: null,
    memberId: null,
    cause: "agent",
    reason: "The invoice has the wrong address.",
    summary: "Ada was charged for a City 3 and needs a corrected invoice.",
    promisedAt: "2026-01-31T09:40:02.000Z",
  },
  "conversation.status_changed": {
    status: "snoozed",
    snoozedUntil: "2026-02-02T08:00:00.000Z",
    memberId: "user_01jd3v5a2q5s8w1y4h7k0m3p6t",
    isAutomatic: false,
  },
  "form.submitted": {
    submissionId: "sub_01jd3v7k9hf0mtb8s6wxq2zy4c",
    toolId: "tool_01jd3v6p5n2e8r7a4d1k9c3m0x",
    toolName: "book_test_ride",
    formData: { email: "ada@example.com", bike: "city" },
  },
  "form.delivery_failed": {
    submissionId: "sub_01jd3v7k9hf0mtb8s6wxq2zy4c",
    toolId: "tool_01jd3v6p5n2e8r7a4d1k9c3m0x",
    deliveryId: "delivery_01jd3v7m9hf0mtb8s6wxq2zy4c",
    host: "crm.example.com",
    status: 500,
    error: "HTTP 500",
  },
  "agent.budget_reached": { month: "2026-01", monthlyTokenBudget: 1_000_000, tokens: 1_000_412 },
  "visitor.erased": {
    erasureId: "erasure_01jd3v7n9hf0mtb8s6wxq2zy4c",
    erasedAt: "2026-01-31T10:00:00.000Z",
    identifierHash: "9f2c41d0a7",
    counts: { conversations: 2, messages: 14, submissions: 1 },
    conversationIds: ["conv_01jd3v7b2q5s8w1y4h7k0m3p6t", "conv_01jd3w4k9hf0mtb8s6wxq2zy4c"],
    submissionIds: ["sub_01jd3v8m2q5s8w1y4h7k0m3p6t"],
  },
};

/** Events that do not belong to a conversation. */
const withoutConversation: ReadonlySet<WebhookEventType> = new Set(["agent.budget_reached", "visitor.erased"]);

/** A complete sample event, as a webhook with this payload receives it. */
export function sampleEvent(
  type: WebhookEventType,
  {
    id,
    organizationId,
    agentId,
    createdAt,
    payload,
  }: { id: string; organizationId: string; agentId: string | null; createdAt: string; payload: "full" | "ids" },
) {
  const hasConversation = !withoutConversation.has(type);
  return {
    id,
    type,
    createdAt,
    organizationId,
    agentId: type === "visitor.erased" ? null : agentId,
    conversationId: hasConversation ? "conv_01jd3v7b2q5s8w1y4h7k0m3p6t" : null,
    sequence: hasConversation ? 1 : null,
    data: selectEventData(payload, type, sampleEventData[type]),
  };
}

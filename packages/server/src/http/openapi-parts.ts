import { webhookEventSchemas } from "@foyer/contract";

const createHeader = (description: string, schema: object) => ({ description, schema });

/** Response headers that many operations share. */
export const headers = {
  RateLimitLimit: createHeader("Requests allowed per minute", { type: "integer" }),
  RateLimitRemaining: createHeader("Requests left in this minute", { type: "integer" }),
  RateLimitReset: createHeader("When the count starts again, in seconds since 1970", { type: "integer" }),
  RetryAfter: createHeader("Seconds to wait before the next attempt", { type: "integer" }),
};

const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

/** The rate limit headers, declared on every successful response because every endpoint with a limit sends them. */
export const rateLimitHeaders = {
  "X-RateLimit-Limit": headerRef("RateLimitLimit"),
  "X-RateLimit-Remaining": headerRef("RateLimitRemaining"),
  "X-RateLimit-Reset": headerRef("RateLimitReset"),
};

function createErrorResponse(
  description: string,
  error: { code: string; message: string; details?: object[] },
  more = {},
) {
  const schema = { $ref: "#/components/schemas/Error" };
  return {
    description,
    content: { "application/json": { schema, example: { data: null, error } } },
    ...more,
  };
}

const retryHeaders = { headers: { ...rateLimitHeaders, "Retry-After": headerRef("RetryAfter") } };

/** Error responses that many operations share. */
export const responses = {
  BadRequest: createErrorResponse("The request is invalid. `error.details` names the fields.", {
    code: "VALIDATION_ERROR",
    message: "name is required.",
    details: [{ path: "name", code: "required", message: "is required" }],
  }),
  Unauthorized: createErrorResponse("The credentials are missing or invalid.", {
    code: "UNAUTHORIZED",
    message: "This API key is not valid.",
  }),
  Forbidden: createErrorResponse("The credentials do not permit this, or the page's origin is not allowed.", {
    code: "FORBIDDEN",
    message: "API keys cannot call this endpoint. Sign in instead.",
  }),
  NotFound: createErrorResponse("The resource does not exist, or belongs to another organization.", {
    code: "NOT_FOUND",
    message: "Agent not found.",
  }),
  TooManyRequests: createErrorResponse(
    "Too many requests.",
    { code: "RATE_LIMITED", message: "Too many messages. Try again in 12 s." },
    retryHeaders,
  ),
  OtherClientError: createErrorResponse(
    "Any other problem with the request, identified by `error.code`.",
    { code: "CONFLICT", message: "The request conflicts with the current state." },
    { headers: rateLimitHeaders },
  ),
  Unavailable: createErrorResponse(
    "The server is busy or shutting down. Try again after `Retry-After` seconds. With `MODEL_NOT_CONFIGURED`, the operator has to connect a model first.",
    { code: "OVERLOADED", message: "The server is busy. Try again in a moment." },
    { headers: { "Retry-After": headerRef("RetryAfter") } },
  ),
};

const responseRef = (name: keyof typeof responses) => ({ $ref: `#/components/responses/${name}` });

/**
 * The operations that wait for something that can be full, slow or missing: a queue of reads, running replies, live
 * streams, a model, a sign-in provider. Every other operation is answered with 503 only while the whole server is
 * overloaded or stopping, or has lost its database.
 */
const operationsWithUnavailable = new Set([
  "chat",
  "resumeChat",
  "draftReply",
  "conversationEvents",
  "inboxEvents",
  "listConversations",
  "getConversationAnalytics",
  "listProviderFailures",
  "listAuditLog",
  "getPlan",
  "listDocuments",
  "listDocumentUses",
  "searchDocuments",
  "listUnansweredQuestions",
  "getDocumentEmbeddings",
  "putDocumentEmbeddings",
  "listSources",
  "getSource",
  "listSourcePages",
  "previewSource",
  "createSource",
  "updateSource",
  "syncSource",
  "stopSource",
  "dismissUnansweredQuestions",
  "getTriggerStats",
  "listSubmissions",
  "getFormAnalytics",
  "submitForm",
  "getDoctor",
  "streamDoctor",
  "getVisitorData",
  "exportVisitorData",
  "eraseVisitor",
  "signInByEmail",
  "signUpByEmail",
  "setUp",
  "changePassword",
  "resetPassword",
  "signInByProvider",
  "providerCallback",
]);

type ErrorOptions = { operationId: string; hasInput: boolean; isPublic: boolean };

/** Returns the error responses of an operation. */
export function errorResponses({ operationId, hasInput, isPublic }: ErrorOptions): object {
  return {
    ...(hasInput ? { 400: responseRef("BadRequest"), 404: responseRef("NotFound") } : {}),
    ...(isPublic ? {} : { 401: responseRef("Unauthorized"), 403: responseRef("Forbidden") }),
    429: responseRef("TooManyRequests"),
    "4XX": responseRef("OtherClientError"),
    ...(operationsWithUnavailable.has(operationId) ? { 503: responseRef("Unavailable") } : {}),
  };
}

/** The groups of operations, in reading order. */
export const tags = [
  { name: "Agents", description: "Create and configure agents." },
  { name: "Chat", description: "Talk to an agent. Replies stream as Server-Sent Events." },
  { name: "Conversations", description: "Read, search, rate and delete stored conversations." },
  { name: "Handoff", description: "Hand conversations over to members of the team and back." },
  { name: "Inbox", description: "Answer visitors: messages, notes, tags and canned replies." },
  { name: "Teams", description: "Groups of members that conversations are assigned to." },
  { name: "Tools", description: "What an agent can do: static answers, HTTP calls and forms." },
  { name: "Visitors", description: "Find, export and erase what is stored about a visitor." },
  { name: "Documents", description: "What an agent knows: texts, questions and answers, files and web pages." },
  { name: "Sources", description: "Websites whose pages are documents of an agent." },
  { name: "Triggers", description: "Rules by which the widget opens the chat, a form or a bubble." },
  { name: "Trash", description: "What members deleted and can still restore." },
  { name: "Form submissions", description: "Submit forms, follow their delivery and read analytics." },
  { name: "Notices", description: "Notify members and team chats of visitors who are waiting for a person." },
  { name: "Webhooks", description: "Send conversation events to other systems, or let them fetch the events." },
  { name: "Models", description: "Model providers and the models they offer." },
  { name: "Secrets", description: "Credentials for HTTP tools. Values are write-only." },
  { name: "Plan", description: "Limits and usage." },
  { name: "API keys", description: "Keys for the management API." },
  { name: "Members", description: "Members, roles and invitations." },
  { name: "Audit log", description: "Who changed what." },
  { name: "Sign-in", description: "Sessions for the dashboard." },
  { name: "Setup", description: "The first owner of a new server." },
  { name: "Doctor", description: "Checks of the server's configuration." },
];

const createWebhookHeader = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const eventHeaders = [
  createWebhookHeader("webhook-id", "The event's id. It is the same for every attempt."),
  createWebhookHeader(
    "webhook-timestamp",
    "When the attempt was made, in seconds since 1970. Reject requests with an old timestamp.",
  ),
  createWebhookHeader(
    "webhook-signature",
    "`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the webhook's secret. For 24 hours after a rotation, two signatures separated by a space.",
  ),
];

/** One webhook operation for each event, by a name such as `conversationStarted`. */
const eventWebhooks = Object.fromEntries(
  Object.values(webhookEventSchemas).map((schema) => {
    const $id: string = Reflect.get(schema, "$id");
    const description: string = Reflect.get(schema, "description");
    const name = `${$id.charAt(0).toLowerCase()}${$id.slice(1).replace(/Event$/, "")}`;
    const post = {
      operationId: `${name}Webhook`,
      summary: description.replace(/\..*$/, ""),
      description: `${description} Sent to the webhooks that subscribe to this event.`,
      tags: ["Webhooks"],
      parameters: eventHeaders,
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: `#/components/schemas/${$id}` } } },
      },
      responses: { "2XX": { description: "The event was received. The body is stored, up to 16 KB." } },
    };
    return [name, { post }];
  }),
);

/** Requests that the server sends to URLs configured by members. */
export const webhooks = {
  ...eventWebhooks,
  formSubmission: {
    post: {
      operationId: "formSubmissionWebhook",
      summary: "A form was submitted",
      description:
        "Sent to the `formWebhookUrl` of a form tool, and by `webhook` post actions without their own payload. The signature follows the Standard Webhooks specification. Deliveries that do not get a 2xx response within 30 s are retried, five attempts in total by default. A delivery can arrive twice: use `webhook-id` to drop duplicates.",
      tags: ["Form submissions"],
      parameters: [
        createWebhookHeader("webhook-id", "The submission's id. It is the same for every attempt."),
        createWebhookHeader(
          "webhook-timestamp",
          "When the attempt was made, in seconds since 1970. Reject requests with an old timestamp.",
        ),
        createWebhookHeader(
          "webhook-signature",
          "`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the form's webhook secret. After a rotation, two signatures separated by a space.",
        ),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/FormWebhook" } } },
      },
      responses: { "2XX": { description: "The submission was received. The body is stored, up to 16 KB." } },
    },
  },
};

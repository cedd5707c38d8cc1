import Type, { type Static } from "typebox";
import {
  idParams,
  listOffset,
  MEDIA_TYPES,
  nullable,
  Pagination,
  ref,
  Success,
  stringEnum,
  Timestamp,
  withDescription,
} from "../schema.ts";
import { userToken, VerifiedVisitor, VisitorIdentity } from "../visitors/visitor-identity.ts";
import { executionModes } from "./form.ts";

export const submissionStatuses = [
  ...(["pending", "submitted", "webhook_success", "webhook_failed"] as const),
  ...(["client_success", "client_failed", "success", "failed"] as const),
] as const;
export type SubmissionStatus = (typeof submissionStatuses)[number];

/** Whether a delivery has ended. `pending` is also a failed attempt that will be retried. */
const outcomeState = stringEnum(
  ["delivered", "failed", "pending"],
  "`pending` until it was delivered or the last attempt failed. `delivered` if there was nothing to deliver.",
);

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });
const instanceId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "Id of one impression: one showing of the form to one visitor",
});
const toolId = Type.String({ minLength: 1, description: "Id of the form tool" });
const submissionId = Type.String({ minLength: 1, description: "Id of the submission" });
const only = (resource: string) => Type.String({ minLength: 1, description: `Only submissions of this ${resource}` });

export const FormSubmit = Type.Object({
  toolId,
  conversationId: Type.Optional(
    nullable(Type.String({ maxLength: 200, description: "Id of the conversation in which the form was shown" })),
  ),
  formData: Type.Unsafe<Record<string, unknown>>({
    ...AnyObject,
    maxProperties: 1_000,
    description:
      "Maps each field's name to its value, at most 100 KiB without files. Files are base64 data URLs of at most 5 MB. Fields that the form does not have are ignored.",
  }),
  fieldsCompleted: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: 1_000,
    description: "Names of the fields that the visitor filled in, for analytics",
  }),
  impressionAt: Type.Optional(
    nullable(Type.Number({ description: "When the form was shown, in milliseconds since 1970" })),
  ),
  startedAt: Type.Optional(
    nullable(Type.Number({ description: "When the visitor began to fill it in, in milliseconds since 1970" })),
  ),
  formInstanceId: Type.Optional(nullable(instanceId)),
  sessionId: Type.Optional(
    nullable(Type.String({ maxLength: 200, description: "Id of an anonymous visitor, as in `POST /chat`" })),
  ),
  userId: Type.Optional(
    nullable(Type.String({ maxLength: 320, description: "The visitor's id on your site, as in `POST /chat`" })),
  ),
  userToken,
  userHash: Type.Optional(
    nullable(
      Type.String({
        maxLength: 128,
        description:
          "Hex HMAC-SHA256 of `userId` with the agent's identity secret. An agent with `requireIdentity` needs it, or a `userToken`, to use a user's submissions in the chat.",
      }),
    ),
  ),
  fileNames: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ["object", "null"],
      additionalProperties: { type: "string", maxLength: 1_000 },
      maxProperties: 100,
      description: "Maps each file field to the name of the uploaded file",
    }),
  ),
});
export type FormSubmit = Static<typeof FormSubmit>;

/** `success` means that the submission was recorded. `webhookResult` tells whether it was delivered. */
export const SubmitResult = Type.Object({
  success: Type.Literal(true),
  submissionId: Type.String(),
  executionMode: stringEnum(executionModes),
  webhookResult: Type.Object({
    success: Type.Boolean(),
    state: outcomeState,
    error: nullable(Type.String()),
    attempted: Type.Optional(Type.Literal(false, { description: "`false` if the form has no webhook" })),
  }),
  postActionResults: Type.Array(Type.Object({ type: Type.String(), success: Type.Boolean(), state: outcomeState })),
  clientHandler: nullable(Type.String()),
  ignoredFields: Type.Optional(
    Type.Array(Type.String(), {
      description: "Names in `formData` that the form does not have, at most 100. Only present if there are any.",
    }),
  ),
});
export type SubmitResult = Static<typeof SubmitResult>;

export const ClientResult = Type.Object({
  submissionId,
  success: Type.Boolean({ description: "Whether the page's handler succeeded" }),
  message: Type.Optional(
    nullable(Type.String({ maxLength: 10_000, description: "What the handler reports, for members" })),
  ),
  data: Type.Optional(nullable(withDescription(AnyObject, { description: "Data of the handler, for members" }))),
});
export type ClientResult = Static<typeof ClientResult>;

export const formEventTypes = ["impression", "started", "field_completed"] as const;

export const FormEvent = Type.Object({
  toolId,
  eventType: stringEnum(
    formEventTypes,
    "Whether the form was shown (`impression`), the visitor began to fill it in, or filled in one field",
  ),
  formInstanceId: instanceId,
  fieldName: Type.Optional(
    nullable(Type.String({ maxLength: 100, description: "Name of the field. Only used with `field_completed`." })),
  ),
});
export type FormEvent = Static<typeof FormEvent>;

/** A post action whose last attempt failed. It is retried while it is `pending`. */
export const FailingAction = Type.Object({
  type: Type.String({ description: "The type of the action, or `confirmation` for the email to the visitor" }),
  state: stringEnum(["pending", "failed"]),
  error: nullable(Type.String()),
});

/** A file appears in `formData` as `{ file: true, name, mediaType, size, url }`. `name` is null when none was sent. */
const submissionFields = {
  id: Type.String(),
  agentId: Type.String(),
  toolId: Type.String(),
  toolName: Type.String(),
  conversationId: nullable(Type.String()),
  status: stringEnum(submissionStatuses),
  executionMode: stringEnum(executionModes),
  formData: AnyObject,
  identity: VisitorIdentity,
  userId: nullable(Type.String()),
  visitor: Type.Unsafe<VerifiedVisitor | null>({
    anyOf: [ref(VerifiedVisitor), { type: "null" }],
    description: "What the visitor proved with the submission",
  }),
  fieldsCompleted: Type.Array(Type.String()),
  changedByVisitor: Type.Array(Type.String(), {
    description:
      "Names of read-only fields whose value the visitor could have changed, because the server could not verify it",
  }),
  impressionAt: nullable(Type.Number()),
  startedAt: nullable(Type.Number()),
  clientResult: nullable(
    Type.Object({ success: Type.Boolean(), message: nullable(Type.String()), data: nullable(AnyObject) }),
  ),
  failingActions: Type.Array(FailingAction, {
    description: "Post actions whose last attempt failed, whatever `status` says",
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const FormSubmission = Type.Object(submissionFields, { $id: "FormSubmission" });
export type FormSubmission = Static<typeof FormSubmission>;

export const DeliveryAttempt = Type.Object({
  number: Type.Integer(),
  startedAt: Timestamp,
  durationMs: Type.Integer(),
  status: nullable(Type.Integer({ description: "The receiver's HTTP status. `null` if it did not respond." })),
  error: nullable(Type.String({ description: "Why the attempt failed. `null` if it succeeded." })),
  detail: nullable(Type.String({ description: "The complete error" })),
  response: nullable(Type.String({ description: "The first 16 KB of the receiver's response" })),
  redirect: nullable(
    Type.Object(
      { status: Type.Integer(), location: Type.String() },
      { description: "The redirect with which the receiver responded first, and the URL that it named" },
    ),
  ),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const deliveryStates = ["waiting", "pending", "delivered", "failed"] as const;

export const Delivery = Type.Object({
  id: Type.String(),
  purpose: stringEnum(
    ["webhook", "action", "confirmation"],
    "The form's webhook, a post action, or the email to the visitor",
  ),
  type: Type.String(),
  target: Type.String({ description: "The URL, the email address, or the id of the member" }),
  state: stringEnum(
    deliveryStates,
    "`waiting` until the first attempts of the webhook and of earlier actions have ended",
  ),
  nextAttemptAt: nullable(Timestamp),
  attempts: Type.Array(DeliveryAttempt, {
    description: "Oldest first. Of a submission with more than 100 attempts, only the newest 100 are listed.",
  }),
});
export type Delivery = Static<typeof Delivery>;

export const FormSubmissionDetail = Type.Object(
  { ...submissionFields, deliveries: Type.Array(Delivery) },
  { $id: "FormSubmissionDetail" },
);
export type FormSubmissionDetail = Static<typeof FormSubmissionDetail>;

export const SubmissionQuery = Type.Object({
  status: Type.Optional(stringEnum(submissionStatuses, "Only submissions with this status")),
  agentId: Type.Optional(only("agent")),
  toolId: Type.Optional(only("form tool")),
  conversationId: Type.Optional(only("conversation")),
  from: Type.Optional(
    Type.String({
      format: "date-or-date-time",
      description: "Earliest submission: a date, or a date-time with a time zone",
    }),
  ),
  to: Type.Optional(
    Type.String({ format: "date-or-date-time", description: "Latest submission. A date includes the whole day." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 20. Values above 100 count as 100." })),
  offset: Type.Optional(listOffset),
  format: Type.Optional(
    stringEnum(["json", "csv"], "`csv` returns every match as a file and ignores `limit` and `offset`."),
  ),
});
export type SubmissionQuery = Static<typeof SubmissionQuery>;

const tags = ["Form submissions"];
const params = idParams("submission");
const account = { access: "account" } as const;
const visitor = { access: "public", crossOrigin: true } as const;

export const submitForm = {
  method: "POST",
  url: "/form-submissions/submit",
  config: { access: "visitor", crossOrigin: true, idempotent: true },
  schema: {
    tags,
    summary: "Submit a form",
    description:
      "With the `conversationToken` of `conversationId` as bearer, the agent learns in that conversation what was submitted. Without it, the agent learns it only in a conversation that began without naming a visitor.",
    body: FormSubmit,
    response: { 200: SubmitResult },
  },
} as const;

export const reportClientResult = {
  method: "POST",
  url: "/form-submissions/client-result",
  config: visitor,
  schema: {
    tags,
    summary: "Report the result of the page's own form handler",
    body: ClientResult,
    response: { 200: Success },
  },
} as const;

export const recordFormEvent = {
  method: "POST",
  url: "/form-submissions/event",
  config: visitor,
  schema: {
    tags,
    summary: "Record that a form was shown, started or partly completed",
    body: FormEvent,
    response: { 200: Success },
  },
} as const;

export const listSubmissions = {
  method: "GET",
  url: "/form-submissions",
  config: account,
  schema: {
    tags,
    summary: "List form submissions, newest first",
    querystring: SubmissionQuery,
    response: {
      200: Type.Object(
        { submissions: Type.Array(ref(FormSubmission)), pagination: Pagination },
        { [MEDIA_TYPES]: { "text/csv": { schema: { type: "string", description: "With `format=csv`" } } } },
      ),
    },
  },
} as const;

export const getSubmission = {
  method: "GET",
  url: "/form-submissions/:id",
  config: account,
  schema: {
    tags,
    summary: "Read a submission with its deliveries and their attempts",
    params,
    response: { 200: ref(FormSubmissionDetail) },
  },
} as const;

export const retrySubmission = {
  method: "POST",
  url: "/form-submissions/:id/retry",
  config: account,
  schema: {
    tags,
    summary: "Retry the failed deliveries of a submission. If none failed, send the webhook again.",
    description:
      "Deliveries that are being sent right now are left alone. If there are no others, the response is 409.",
    params,
    response: { 200: ref(FormSubmissionDetail) },
  },
} as const;

export const SubmissionRetry = Type.Object({
  agentId: Type.Optional(nullable(only("agent"))),
  toolId: Type.Optional(nullable(only("form tool"))),
  statuses: Type.Optional(
    nullable(
      Type.Array(stringEnum(submissionStatuses), {
        minItems: 1,
        maxItems: submissionStatuses.length,
        description:
          "Only submissions with one of these statuses. Without it, every submission with a failed delivery.",
      }),
    ),
  ),
});
export type SubmissionRetry = Static<typeof SubmissionRetry>;

export const retrySubmissions = {
  method: "POST",
  url: "/form-submissions/retry",
  config: account,
  schema: {
    tags,
    summary: "Retry all deliveries that failed permanently. Responds when they are queued.",
    body: SubmissionRetry,
    response: {
      200: Type.Object({ retried: Type.Integer({ description: "Number of submissions with failed deliveries" }) }),
    },
  },
} as const;

export const deleteSubmission = {
  method: "DELETE",
  url: "/form-submissions/:id",
  config: account,
  schema: { tags, summary: "Delete a submission and its files", params, response: { 200: Success } },
} as const;

export const getSubmissionFile = {
  method: "GET",
  url: "/form-submissions/:id/files/:name",
  config: account,
  schema: {
    tags,
    summary: "Download an uploaded file",
    params: Type.Object({ ...params.properties, name: Type.String({ description: "Name of the form field" }) }),
    response: {
      200: {
        description: "The file, in the media type with which it was uploaded",
        content: { "*/*": { schema: Type.Unsafe<unknown>({ description: "The bytes of the file" }) } },
      },
    },
  },
} as const;

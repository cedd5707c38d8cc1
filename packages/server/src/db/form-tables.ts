import type { SubmissionStatus } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

/** The tables of form submissions, as Kysely sees them. */
export type FormTables = {
  submissions: SubmissionTable;
  submissionFiles: SubmissionFileRow;
  deliveries: DeliveryRow;
  deliveryAttempts: DeliveryAttemptRow;
  webhookSecrets: WebhookSecretRow;
  failureNotices: FailureNoticeRow;
  formInstances: FormInstanceRow;
  formDays: FormDayRow;
  formFieldDays: FormFieldDayRow;
  mailRecipients: MailRecipientRow;
  submissionDays: SubmissionDayRow;
  confirmationDays: ConfirmationDayRow;
};

export type SubmissionRow = {
  id: string;
  organizationId: string;
  agentId: string;
  /** the tool may be gone */
  toolId: string;
  toolName: string;
  /** as the visitor's side said, whether we know it or not */
  conversationId: string | null;
  /** 1 when the request proved that it may speak in that conversation; only then is the model told of it */
  hasConversationProof: Flag;
  executionMode: "webhook" | "client" | "both";
  clientHandler: string | null;
  /** with `null` where a file stands, see `submissionFiles` */
  formData: Json;
  fieldsCompleted: Json;
  impressionAt: number | null;
  startedAt: number | null;
  formInstanceId: string;
  /** what submission-status.ts makes of its parts */
  status: SubmissionStatus;
  clientResult: Json | null;
  createdAt: Instant;
  updatedAt: Instant;
};

type SubmissionTable = Omit<SubmissionRow, "hasConversationProof"> & { hasConversationProof: Generated<Flag> };

export type SubmissionFileRow = {
  submissionId: string;
  field: string;
  /** of the data URL as it was submitted, up to and with the comma */
  prefix: string;
  /** by its first bytes where they tell */
  mediaType: string;
  size: number;
  content: Buffer;
  /** as the visitor's page named it, sanitised; null when it sent no name */
  name: string | null;
};

/** Something to be sent: a form's webhook, a post action, or a notice to the owners that one of them failed for good. */
export type DeliveryRow = {
  id: string;
  submissionId: string;
  /** 0 the webhook, then the post actions in order; notices come after them */
  position: number;
  purpose: "webhook" | "action" | "confirmation" | "notice";
  type: "webhook" | "team_chat" | "slack" | "email";
  target: Json;
  /** whose slowness delays only itself */
  host: string;
  /** `waiting`: for the webhook's first attempt */
  state: "waiting" | "pending" | "delivered" | "failed";
  /** made so far, all in all */
  attempts: number;
  /** made before it was last asked to be delivered again */
  attemptsBefore: number;
  /** when it may be claimed, by the database's clock: the next attempt, or the end of somebody's lease */
  dueAt: Instant;
  /** counts the leases; only the holder of the newest may write the outcome */
  fence: number;
  createdAt: Instant;
};

export type DeliveryAttemptRow = {
  deliveryId: string;
  /** 1, 2, 3, … */
  number: number;
  startedAt: Instant;
  durationMs: number;
  /** the receiver's, where there was an answer */
  status: number | null;
  /** in general words, for anybody; `null` when it was delivered */
  error: string | null;
  /** in full, for the account's members */
  detail: string | null;
  response: string | null;
};

/** What signs a form's webhooks. */
export type WebhookSecretRow = {
  toolId: string;
  agentId: string;
  /** encrypted, as `previousSecret` */
  secret: string;
  previousSecret: string | null;
  rotatedAt: Instant | null;
};

/** When a form's owners were last told that a delivery failed for good. */
type FailureNoticeRow = { toolId: string; agentId: string; sentAt: Instant };

/** One showing of a form to one visitor; kept for 90 days, so that nothing is counted twice. */
export type FormInstanceRow = {
  toolId: string;
  id: string;
  agentId: string;
  /** of its first event, in UTC: all it counts for */
  day: string;
  isStarted: Flag;
  /** names of the fields that were filled in */
  fields: Json;
};

/** A form's counters of one day (UTC): of instances that began on it, and of submissions made on it. */
export type FormDayRow = {
  toolId: string;
  day: string;
  agentId: string;
  impressions: number;
  started: number;
  submitted: number;
  successful: number;
  failed: number;
};

export type FormFieldDayRow = { toolId: string; day: string; field: string; agentId: string; completed: number };

/** A mail address outside the organization that submissions may be sent to once it is confirmed. */
export type MailRecipientRow = {
  id: string;
  organizationId: string;
  /** in lower case */
  address: string;
  /** SHA-256 of the token in the confirmation link, in hex */
  tokenHash: string;
  tokenExpiresAt: Instant;
  confirmedAt: Instant | null;
  createdAt: Instant;
};

/** Bytes that visitors stored by submitting an agent's forms on one day (UTC). */
export type SubmissionDayRow = { agentId: string; day: string; bytes: number };

/** Confirmation mails of one day (UTC), by form id and by hash of the visitor's address. */
type ConfirmationDayRow = { key: string; day: string; sent: number };

import type { SubmissionStatus } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

/** The tables of form submissions, as Kysely sees them. */
export type FormTables = {
  submissions: SubmissionTable;
  submissionFiles: SubmissionFileRow;
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
  /** the tool may have been deleted */
  toolId: string;
  toolName: string;
  /** as sent by the client; it may not exist */
  conversationId: string | null;
  /** 1 when the request proved access to that conversation; only then does the model see the submission */
  hasConversationProof: Flag;
  /** as sent by the page, unless `verifiedVisitor` is set */
  userId: string | null;
  /** what the visitor proved, see agents/identity/verified-visitor.ts */
  verifiedVisitor: Json | null;
  executionMode: "webhook" | "client" | "both";
  clientHandler: string | null;
  /** files are replaced by `null`, see `submissionFiles` */
  formData: Json;
  fieldsCompleted: Json;
  /** names of read-only fields whose value the visitor could have changed; null without any */
  changedByVisitor: Json | null;
  impressionAt: number | null;
  startedAt: number | null;
  formInstanceId: string;
  /** derived from its deliveries by submission-status.ts */
  status: SubmissionStatus;
  clientResult: Json | null;
  createdAt: Instant;
  updatedAt: Instant;
};

type SubmissionTable = Omit<SubmissionRow, "hasConversationProof" | "changedByVisitor"> & {
  hasConversationProof: Generated<Flag>;
  changedByVisitor: Generated<Json | null>;
};

export type SubmissionFileRow = {
  submissionId: string;
  field: string;
  /** the start of the submitted data URL, up to and including the comma */
  prefix: string;
  /** detected from the first bytes if possible */
  mediaType: string;
  size: number;
  content: Buffer;
  /** the sanitized file name from the page; null if it sent none */
  name: string | null;
};

/** The signing secret of a form's webhooks. */
export type WebhookSecretRow = {
  toolId: string;
  agentId: string;
  /** encrypted, like `previousSecret` */
  secret: string;
  previousSecret: string | null;
  rotatedAt: Instant | null;
};

/** When a form's owners were last notified of a delivery that failed permanently. */
type FailureNoticeRow = { toolId: string; agentId: string; sentAt: Instant };

/** One impression of a form. Kept for 90 days so that it is counted once. */
export type FormInstanceRow = {
  toolId: string;
  id: string;
  agentId: string;
  /** the UTC day of its first event; everything counts on this day */
  day: string;
  isStarted: Flag;
  /** names of the completed fields */
  fields: Json;
};

/** A form's counters of one UTC day: impressions first shown on it and submissions received on it. */
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

/** An email address outside the organization that may receive submissions once it is confirmed. */
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

import type { Delivery, FormSubmission } from "@foyer/contract";
import { identityLevel } from "../agents/identity/identity-level.ts";
import type { SubmissionRow } from "../db/tables/forms.ts";
import type { DeliveryAttemptRow } from "../db/tables/outbox.ts";
import { toAttempt } from "../outbox/attempts.ts";
import type { DeliveryTarget } from "./deliveries/send-delivery.ts";
import type { SubmissionDelivery } from "./submission-delivery.ts";
import type { FailingRow, FileFacts } from "./submission-store.ts";

/** The files and failing deliveries of a page of submissions. They may include rows of other submissions. */
export type SubmissionParts = { files: readonly FileFacts[]; failing: readonly FailingRow[] };

/** Converts a submission for members. In `formData`, each file is replaced by its metadata and download path. */
export function toSubmission(row: SubmissionRow, { files, failing }: SubmissionParts): FormSubmission {
  const { id, agentId, toolId, toolName, conversationId, status, executionMode, impressionAt, startedAt } = row;
  const { userId, verifiedVisitor } = row;
  const fileEntries = files
    .filter(({ submissionId }) => submissionId === id)
    .map(({ field, name, mediaType, size }) => [
      field,
      { file: true, name, mediaType, size, url: filePath(id, field) },
    ]);
  return {
    id,
    agentId,
    toolId,
    toolName,
    conversationId,
    status,
    executionMode,
    formData: { ...JSON.parse(row.formData), ...Object.fromEntries(fileEntries) },
    identity: identityLevel({ isVerified: verifiedVisitor !== null, claimed: [userId] }),
    userId,
    visitor: verifiedVisitor === null ? null : JSON.parse(verifiedVisitor),
    fieldsCompleted: JSON.parse(row.fieldsCompleted),
    changedByVisitor: JSON.parse(row.changedByVisitor ?? "[]"),
    impressionAt,
    startedAt,
    clientResult: row.clientResult === null ? null : JSON.parse(row.clientResult),
    failingActions: failing.filter(({ submissionId }) => submissionId === id).map(toFailingAction),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

function toFailingAction({ purpose, type, state, error }: FailingRow) {
  return { type: purpose === "confirmation" ? purpose : type, state, error };
}

/** Returns the path at which a file can be downloaded. */
export function filePath(submissionId: string, field: string): string {
  return `/form-submissions/${submissionId}/files/${encodeURIComponent(field.toWellFormed())}`;
}

export function toDelivery(row: SubmissionDelivery, attempts: readonly DeliveryAttemptRow[]): Delivery {
  const { id, type, state, purpose } = row;
  return {
    id,
    type,
    state,
    purpose: purpose === "notice" ? "action" : purpose,
    target: describeTarget(row),
    nextAttemptAt: state === "pending" ? new Date(row.dueAt).toISOString() : null,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === id).map(toAttempt),
  };
}

function describeTarget({ target }: Pick<SubmissionDelivery, "target">): string {
  const { url, webhookUrl, recipientIds, to }: DeliveryTarget = JSON.parse(target);
  return url || webhookUrl || [...(recipientIds ?? []), ...(to ?? [])].join(", ");
}

import type { Delivery, FormSubmission } from "@foyer/contract";
import type { DeliveryAttemptRow, DeliveryRow, SubmissionRow } from "../db/form-tables.ts";
import type { DeliveryTarget } from "./send-delivery.ts";
import type { FileFacts } from "./submission-store.ts";

/** A submission for the account's members: a file stands in `formData` as what is known of it and where to get it. */
export function toSubmission(row: SubmissionRow, files: readonly FileFacts[]): FormSubmission {
  const { id, agentId, toolId, toolName, conversationId, status, executionMode, impressionAt, startedAt } = row;
  const shown = files
    .filter(({ submissionId }) => submissionId === id)
    .map(({ field, mediaType, size }) => [field, { file: true, mediaType, size, url: fileUrl(id, field) }]);
  return {
    ...{ id, agentId, toolId, toolName, conversationId, status, executionMode },
    formData: { ...JSON.parse(row.formData), ...Object.fromEntries(shown) },
    fieldsCompleted: JSON.parse(row.fieldsCompleted),
    ...{ impressionAt, startedAt },
    clientResult: row.clientResult === null ? null : JSON.parse(row.clientResult),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

/** Where a file is to be had, on this server. */
export function fileUrl(submissionId: string, field: string): string {
  return `/form-submissions/${submissionId}/files/${encodeURIComponent(field.toWellFormed())}`;
}

export function toDelivery(row: DeliveryRow, attempts: readonly DeliveryAttemptRow[]): Delivery {
  const { id, type, state, purpose } = row;
  return {
    ...{ id, type, state, purpose: purpose === "webhook" ? "webhook" : "action", target: describe(row) },
    nextAttemptAt: state === "pending" ? new Date(row.dueAt).toISOString() : null,
    attempts: attempts
      .filter(({ deliveryId }) => deliveryId === id)
      .map(({ deliveryId: _, startedAt, ...attempt }) => ({
        ...attempt,
        startedAt: new Date(startedAt).toISOString(),
      })),
  };
}

function describe({ target }: DeliveryRow): string {
  const { url, webhookUrl, recipientIds }: DeliveryTarget = JSON.parse(target);
  return url || webhookUrl || (recipientIds ?? []).join(", ");
}

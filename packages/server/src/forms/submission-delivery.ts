import type { DeliveryRow } from "../db/tables/outbox.ts";

/** A delivery of a submission: its webhook, a post action, a confirmation or a notice. */
export type SubmissionDelivery = Omit<DeliveryRow, "submissionId" | "purpose"> & {
  submissionId: string;
  purpose: Exclude<DeliveryRow["purpose"], "event">;
};

/** The initial values of the columns that all deliveries of a submission share. */
export const deliveryDefaults = {
  kind: "submission",
  webhookId: null,
  eventId: null,
  attempts: 0,
  attemptsBefore: 0,
  fence: 1,
} as const;

/**
 * Narrows a delivery to that of a submission.
 * @throws Error if it belongs to no submission, which should not happen for this kind of delivery
 */
export function asSubmissionDelivery(delivery: DeliveryRow): SubmissionDelivery {
  const { submissionId, purpose } = delivery;
  if (submissionId === null || purpose === "event") {
    throw new Error(`The delivery ${delivery.id} belongs to no submission.`);
  }
  return { ...delivery, submissionId, purpose };
}

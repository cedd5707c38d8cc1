import type { DeliveryRow } from "../../db/outbox-tables.ts";

/** A delivery of a submission: its webhook, a post action, a confirmation or a notice. */
export type SubmissionDelivery = Omit<DeliveryRow, "submissionId" | "purpose"> & {
  submissionId: string;
  purpose: Exclude<DeliveryRow["purpose"], "event">;
};

/** The columns that all deliveries of a submission have in common when they are created. */
export const deliveryDefaults = {
  kind: "submission",
  webhookId: null,
  eventId: null,
  attempts: 0,
  attemptsBefore: 0,
  fence: 1,
} as const;

/** @throws when the delivery does not belong to a submission, which its kind rules out */
export function asSubmissionDelivery(delivery: DeliveryRow): SubmissionDelivery {
  const { submissionId, purpose } = delivery;
  if (submissionId === null || purpose === "event") {
    throw new Error(`The delivery ${delivery.id} belongs to no submission.`);
  }
  return { ...delivery, submissionId, purpose };
}

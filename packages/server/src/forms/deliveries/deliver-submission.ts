import type { DeliveryHandler } from "../../outbox/outbox.ts";
import { createPayloadSlots, deliveryWithoutSlot } from "../../outbox/payload-slots.ts";
import { asSubmissionDelivery } from "../submission-delivery.ts";
import type { SubmissionStore } from "../submission-store.ts";
import type { AttemptRecords } from "./attempt-records.ts";
import type { createDeliverySender } from "./send-delivery.ts";

/** Creates the handler that sends the deliveries of submissions and records the effects of each attempt. */
export function createSubmissionHandler(
  store: SubmissionStore,
  send: ReturnType<typeof createDeliverySender>,
  records: AttemptRecords,
): DeliveryHandler {
  const fileSlots = createPayloadSlots();
  return {
    async open(leased, signal) {
      const delivery = asSubmissionDelivery(leased);
      const found = await store.readContent(delivery.submissionId);
      // The submission was deleted together with its deliveries.
      if (!found) return null;
      const { submission, hasFiles } = found;
      if (!hasFiles) return { send: () => send(delivery, { submission, files: [] }, signal) };
      const close = await fileSlots.acquire(delivery, signal);
      if (!close) return deliveryWithoutSlot;
      try {
        const files = await store.files(submission.id);
        return { send: () => send(delivery, { submission, files }, signal), close };
      } catch (error) {
        close();
        throw error;
      }
    },
    record: ({ delivery, ...made }) => records.write({ delivery: asSubmissionDelivery(delivery), ...made }),
  };
}

import type { Deps } from "../deps.ts";
import type { LeasedDelivery } from "../outbox/delivery-queue.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { createEventHandler } from "./deliver-event.ts";
import { createFeedService } from "./feed.ts";
import { createEventListeners } from "./listeners.ts";
import { createEventRecorder } from "./record-events.ts";
import { createWebhookService } from "./service.ts";
import { createWebhookStore, type ToSend } from "./store.ts";

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Conversation events: who receives them, how they are recorded, and how they leave the server. */
export function createWebhooks(deps: Deps, outbox: Outbox) {
  const store = createWebhookStore(deps);
  const listeners = createEventListeners(deps.db);
  /** The content of deliveries that this process has written and is about to send. */
  const unsent = new WeakMap<LeasedDelivery, ToSend>();
  const { queue, worker } = outbox;
  const recordEvents = createEventRecorder(deps, listeners, {
    leaseMs: queue.leaseMs,
    countFreeSlots: worker.countFreeSlots,
    send(delivery, content) {
      unsent.set(delivery, content);
      worker.startAttempt(delivery);
    },
    notify: worker.notify,
  });
  const loadContent = async (delivery: LeasedDelivery) => unsent.get(delivery) ?? store.toSend(delivery);
  outbox.register("event", createEventHandler(deps, { store, outbox, listeners, contentOf: loadContent }));
  return {
    /** Records events in the transaction that stores the change they report. */
    recordEvents,
    service: createWebhookService(deps, { store, outbox, listeners }),
    feed: createFeedService(deps, listeners),
    /** who receives the events of an organization */
    listeners,
  };
}

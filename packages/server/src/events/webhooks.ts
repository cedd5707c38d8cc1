import type { Deps } from "../deps.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { createEventHandler } from "./deliver-event.ts";
import { createFeedService } from "./feed.ts";
import { createIdleWorker } from "./idle-worker.ts";
import { createEventListeners } from "./listeners.ts";
import { createEventRecorder } from "./record-events.ts";
import { createWebhookService } from "./service.ts";
import { createWebhookStore } from "./store.ts";

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Conversation events: who receives them, how they are recorded, and how they leave the server. */
export function createWebhooks(deps: Deps, outbox: Outbox) {
  const store = createWebhookStore(deps);
  const listeners = createEventListeners(deps.db);
  const recordEvents = createEventRecorder(deps, listeners, outbox.worker.notify);
  outbox.register("event", createEventHandler(deps, { store, outbox, listeners }));
  return {
    /** Records events in the transaction that stores the change they report. */
    recordEvents,
    service: createWebhookService(deps, { store, outbox, listeners }),
    feed: createFeedService(deps, listeners),
    idleWorker: createIdleWorker(deps, { record: recordEvents, listeners }),
  };
}

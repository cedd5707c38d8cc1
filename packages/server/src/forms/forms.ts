import type { AgentService } from "../agents/agent-service.ts";
import type { Deps } from "../deps.ts";
import { leaseMs } from "../outbound/delivery-lease.ts";
import { createDeliveryQueue } from "../outbound/delivery-queue.ts";
import { createDeliveryWorker } from "../outbound/delivery-worker.ts";
import type { FormFinder } from "../tools/form-finder.ts";
import type { ToolService } from "../tools/tool-service.ts";
import type { WebhookSecrets } from "../tools/webhook-secrets.ts";
import { createAttemptRecords } from "./attempt-records.ts";
import { createSubmissionDelivery } from "./deliver-submission.ts";
import { createFormAnalytics } from "./form-analytics.ts";
import { createFormCounters } from "./form-counters.ts";
import { createFormService } from "./form-service.ts";
import { createSubmissionWriter } from "./new-submissions.ts";
import { createDeliverySender } from "./send-delivery.ts";
import { createSubmissionNotes } from "./submission-notes.ts";
import { createSubmissionStore } from "./submission-store.ts";
import { createSubmitForm } from "./submit-form.ts";

export type Forms = ReturnType<typeof createForms>;

/** Everything about submissions, put together. */
export function createForms(
  deps: Deps,
  services: { agents: AgentService; tools: ToolService; formFinder: FormFinder; webhookSecrets: WebhookSecrets },
) {
  const { db, config, log } = deps;
  const counters = createFormCounters(db, deps.databaseKind === "postgres");
  const queue = createDeliveryQueue(deps, leaseMs(config));
  const records = createAttemptRecords(deps, queue, counters);
  const store = createSubmissionStore(deps);
  const send = createDeliverySender(deps, services.webhookSecrets);
  const run = createSubmissionDelivery(config.webhooks.schedule, store, send, records);
  const worker = createDeliveryWorker({ queue, run, log });
  // Without a wait before it, the first attempt is made by whoever takes the submission.
  const keep = createSubmissionWriter(db, queue, counters, config.webhooks.schedule[0] || undefined);
  return {
    worker,
    store,
    notesOf: createSubmissionNotes(store),
    submitForm: createSubmitForm(deps, services, store, keep, worker),
    service: createFormService(deps, { store, queue, worker, records, counters, formFinder: services.formFinder }),
    analytics: createFormAnalytics(deps, services.tools, counters),
  };
}

import type { AgentService } from "../agents/agent-service.ts";
import type { Deps } from "../deps.ts";
import { leaseMs } from "../outbound/delivery-lease.ts";
import { createDeliveryQueue } from "../outbound/delivery-queue.ts";
import { createDeliveryWorker } from "../outbound/delivery-worker.ts";
import type { FormFinder } from "../tools/form-finder.ts";
import type { MailRecipients } from "../tools/mail-recipients.ts";
import type { ToolService } from "../tools/tool-service.ts";
import type { WebhookSecrets } from "../tools/webhook-secrets.ts";
import { createAttemptRecords } from "./attempt-records.ts";
import { createConfirmations } from "./confirmations.ts";
import { createSubmissionDelivery } from "./deliver-submission.ts";
import { createFormAnalytics } from "./form-analytics.ts";
import { createFormCounters } from "./form-counters.ts";
import { createFormService } from "./form-service.ts";
import { createSubmissionWriter } from "./new-submissions.ts";
import { createDeliverySender } from "./send-delivery.ts";
import { createSubmissionNotes } from "./submission-notes.ts";
import { createSubmissionQuota } from "./submission-quota.ts";
import { createSubmissionStore } from "./submission-store.ts";
import { createSubmitForm } from "./submit-form.ts";

export type Forms = ReturnType<typeof createForms>;

/** Everything about submissions, put together. */
export function createForms(
  deps: Deps,
  services: {
    agents: AgentService;
    tools: ToolService;
    formFinder: FormFinder;
    webhookSecrets: WebhookSecrets;
    mailRecipients: MailRecipients;
  },
) {
  const { db, config, log } = deps;
  const counters = createFormCounters(db, deps.databaseKind === "postgres");
  const queue = createDeliveryQueue(deps, leaseMs(config));
  const records = createAttemptRecords(deps, queue, counters);
  const store = createSubmissionStore(deps);
  const send = createDeliverySender(deps, services);
  const run = createSubmissionDelivery(config.webhooks.schedule, store, send, records);
  const worker = createDeliveryWorker({ queue, run, log });
  // Without a wait before it, the first attempt is made by whoever takes the submission.
  const quota = createSubmissionQuota(deps);
  const keep = createSubmissionWriter(db, { queue, counters, quota }, config.webhooks.schedule[0] || undefined);
  const confirmations = createConfirmations(deps);
  return {
    worker,
    store,
    notesOf: createSubmissionNotes(store),
    submitForm: createSubmitForm(deps, services, store, { keep, worker, quota, confirmations }),
    service: createFormService(deps, { ...services, store, queue, worker, records, counters }),
    analytics: createFormAnalytics(deps, services.tools, counters),
  };
}

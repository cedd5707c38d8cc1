import type { AgentService } from "../agents/service.ts";
import type { Deps } from "../deps.ts";
import type { RecordEvents } from "../events/record-events.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { FormFinder } from "../tools/form/form-finder.ts";
import type { MailRecipients } from "../tools/form/mail-recipients.ts";
import type { WebhookSecrets } from "../tools/secrets/webhook-secrets.ts";
import type { ToolService } from "../tools/service.ts";
import { createFormAnalytics } from "./analytics/form-analytics.ts";
import { createFormCounters } from "./analytics/form-counters.ts";
import { createAttemptRecords } from "./deliveries/attempt-records.ts";
import { createConfirmations } from "./deliveries/confirmations.ts";
import { createSubmissionHandler } from "./deliveries/deliver-submission.ts";
import { createDeliverySender } from "./deliveries/send-delivery.ts";
import { createFormService } from "./service.ts";
import { createSubmissionNotes } from "./submission-notes.ts";
import { createSubmissionStore } from "./submission-store.ts";
import { createSubmissionWriter } from "./submit/new-submissions.ts";
import { createSubmissionQuota } from "./submit/submission-quota.ts";
import { createSubmitForm } from "./submit/submit-form.ts";

export type Forms = ReturnType<typeof createForms>;

export function createForms(
  deps: Deps,
  services: {
    agents: AgentService;
    tools: ToolService;
    formFinder: FormFinder;
    webhookSecrets: WebhookSecrets;
    mailRecipients: MailRecipients;
    outbox: Outbox;
    recordEvents: RecordEvents;
  },
) {
  const { db, config } = deps;
  const { outbox, recordEvents } = services;
  const { queue, worker } = outbox;
  const counters = createFormCounters(db, deps.databaseKind === "postgres");
  const records = createAttemptRecords(deps, outbox, { counters, recordEvents });
  const store = createSubmissionStore(deps);
  const send = createDeliverySender(deps, services);
  outbox.register("submission", createSubmissionHandler(store, send, records));
  // If the schedule starts with 0, leave the wait undefined, so that the process that receives the submission makes the
  // first attempt.
  const quota = createSubmissionQuota(deps);
  const saveSubmission = createSubmissionWriter(
    db,
    { queue, counters, quota, recordEvents },
    config.webhooks.schedule[0] || undefined,
  );
  const confirmations = createConfirmations(deps);
  return {
    store,
    notesOf: createSubmissionNotes(store),
    submitForm: createSubmitForm(deps, { ...services, store, saveSubmission, worker, quota, confirmations }),
    service: createFormService(deps, { ...services, store, queue, worker, records, counters }),
    analytics: createFormAnalytics(deps, services.tools, counters),
  };
}

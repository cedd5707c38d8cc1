import type { FormSubmission, FormSubmissionDetail, SubmissionQuery, SubmissionRetry } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { AgentService } from "../agents/service.ts";
import type { SubmissionRow } from "../db/tables/forms.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import type { DeliveryQueue, LeasedDelivery } from "../outbox/delivery-queue.ts";
import type { DeliveryWorker } from "../outbox/delivery-worker.ts";
import type { FormFinder } from "../tools/form/form-finder.ts";
import { toInstants, toUtcDay } from "../utc-day.ts";
import { countStatus, type FormCounters } from "./analytics/form-counters.ts";
import type { AttemptRecords } from "./deliveries/attempt-records.ts";
import { createClientResults } from "./deliveries/client-results.ts";
import { createFailedStore } from "./deliveries/failed-store.ts";
import { createRetryFailed } from "./deliveries/retry-failed.ts";
import { findCurrentAddress } from "./deliveries/submission-deliveries.ts";
import { deleteSubmissionFiles } from "./retention.ts";
import type { SubmissionFilter, SubmissionStore } from "./submission-store.ts";
import { toDelivery, toSubmission } from "./submission-view.ts";

const PAGE = { default: 20, max: 100 };
/**
 * The maximum size of the submitted data in a page. Reading it and writing it as JSON takes about 10 ms per megabyte.
 */
const PAGE_BYTES = 4 * 1024 * 1024;

type Parts = {
  store: SubmissionStore;
  queue: DeliveryQueue;
  worker: DeliveryWorker;
  records: AttemptRecords;
  counters: FormCounters;
  formFinder: FormFinder;
  agents: AgentService;
};

export type FormService = ReturnType<typeof createFormService>;

/** Manages submissions for members, and accepts the results that visitors' pages report. */
export function createFormService(deps: Pick<Deps, "config" | "db" | "databaseKind">, parts: Parts) {
  const { config } = deps;
  const { store, worker, records, counters, agents, formFinder } = parts;
  const retryFailed = createRetryFailed({ ...parts, failed: createFailedStore(deps) });

  /**
   * Throws 404 if a filter names an agent or a form of another organization. Submissions outlive their form, so a
   * deleted form with submissions is accepted.
   */
  async function checkOwned(
    organizationId: string,
    { agentId, toolId }: { agentId?: string | null; toolId?: string | null },
  ) {
    if (agentId) await agents.get(organizationId, agentId);
    if (!toolId) return;
    const exists =
      (await formFinder.owned(organizationId, toolId)) || (await store.hasSubmissionsOfForm(organizationId, toolId));
    if (!exists) throw notFound("Form");
  }

  async function requireSubmission(organizationId: string, id: string): Promise<SubmissionRow> {
    const row = isId("sub", id) ? await store.get(organizationId, id) : undefined;
    if (!row) throw notFound("Submission");
    return row;
  }

  async function detail(organizationId: string, id: string): Promise<FormSubmissionDetail> {
    const row = await requireSubmission(organizationId, id);
    const parts = { files: await store.listFiles([id]), failing: await store.listFailing([id]) };
    const attempts = await store.attempts(id);
    const deliveries = (await store.deliveries(id)).map((delivery) => toDelivery(delivery, attempts));
    return { ...toSubmission(row, parts), deliveries };
  }

  return {
    detail,
    checkOwned,
    async list(organizationId: string, { limit, offset = 0, ...query }: SubmissionQuery) {
      const filter = toFilter(query);
      await checkOwned(organizationId, filter);
      const pageSize = Math.min(limit ?? PAGE.default, PAGE.max);
      const { rows, isCut } = await store.list(organizationId, filter, {
        limit: pageSize,
        offset,
        maxBytes: PAGE_BYTES,
      });
      const page = { limit: isCut ? rows.length : pageSize, offset };
      const ids = rows.map(({ id }) => id);
      const parts = { files: await store.listFiles(ids), failing: await store.listFailing(ids) };
      const submissions: FormSubmission[] = rows.map((row) => toSubmission(row, parts));
      return { submissions, pagination: { total: await store.count(organizationId, filter), ...page } };
    },
    async file(organizationId: string, id: string, field: string) {
      const file = isId("sub", id) ? await store.file(organizationId, id, field) : undefined;
      if (!file) throw notFound("File");
      return file;
    },
    /** Retries the undelivered deliveries now. If all deliveries succeeded, sends the webhook again. */
    async retry(organizationId: string, id: string): Promise<FormSubmissionDetail> {
      const leased = await requeue(await requireSubmission(organizationId, id), parts);
      await worker.runWithin(leased, config.webhooks.submitWait);
      return detail(organizationId, id);
    },
    async retryFailed(organizationId: string, retry: SubmissionRetry): Promise<number> {
      await checkOwned(organizationId, { agentId: retry.agentId ?? null, toolId: retry.toolId ?? null });
      return retryFailed(organizationId, retry);
    },
    /** Deletes the submission and subtracts it from the counters. */
    async delete(organizationId: string, id: string): Promise<void> {
      await requireSubmission(organizationId, id);
      await deleteSubmissionFiles(deps.db, [id]);
      await records.change(id, async (trx, { toolId, agentId, createdAt, status }) => {
        await store.delete(trx, id);
        const { successful, failed } = countStatus(status);
        const deltas = { submitted: -1, successful: -successful, failed: -failed };
        await counters.add(trx, [{ toolId, agentId, day: toUtcDay(createdAt), ...deltas }]);
      });
    },
    reportClientResult: createClientResults(config, parts),
  };
}

export function toFilter({ from, to, status, agentId, toolId, conversationId }: SubmissionQuery): SubmissionFilter {
  return {
    ...omitUndefined({ status, agentId, toolId, conversationId }),
    ...toInstants({ from, to }),
  };
}

/**
 * Retries the deliveries of a submission at the form's current addresses, so that a wrong address can be corrected
 * first. Deliveries that are being sent are skipped.
 * @throws 409 if no delivery remains
 */
async function requeue(
  submission: SubmissionRow,
  { store, queue, records, formFinder }: Parts,
): Promise<LeasedDelivery[]> {
  const form = await formFinder.owned(submission.organizationId, submission.toolId);
  const deliveries = await store.deliveries(submission.id);
  const undelivered = deliveries.filter(({ state }) => state === "pending" || state === "failed");
  const deliveriesToRetry =
    undelivered.length > 0 ? undelivered : deliveries.filter(({ purpose }) => purpose === "webhook");
  if (deliveriesToRetry.length === 0) throw new AppError("CONFLICT", "This submission has nothing to deliver again.");
  const restarted = await records.change(submission.id, async (trx) => {
    const leased: LeasedDelivery[] = [];
    for (const delivery of deliveriesToRetry) {
      leased.push(...(await queue.retry(trx, delivery, (form && findCurrentAddress(form, delivery)) ?? delivery)));
    }
    return leased;
  });
  if (restarted?.length === 0) {
    throw new AppError("CONFLICT", "This submission is being delivered right now. Try again in a minute.");
  }
  return restarted ?? [];
}

import { isDeepStrictEqual } from "node:util";
import type { ClientResult, FormSubmission, FormSubmissionDetail, SubmissionQuery } from "@foyer/contract";
import type { SubmissionRow } from "../db/form-tables.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import type { DeliveryQueue, Leased } from "../outbound/delivery-queue.ts";
import type { DeliveryWorker } from "../outbound/delivery-worker.ts";
import type { FormFinder } from "../tools/form-finder.ts";
import { dayOf, instantsOf } from "../utc-day.ts";
import type { AttemptRecords } from "./attempt-records.ts";
import { createFailedStore } from "./failed-store.ts";
import { countsOf, type FormCounters } from "./form-counters.ts";
import { createRetryFailed } from "./retry-failed.ts";
import { currentAddress } from "./submission-deliveries.ts";
import type { SubmissionFilter, SubmissionStore } from "./submission-store.ts";
import { toDelivery, toSubmission } from "./submission-view.ts";

const PAGE = { default: 20, max: 100 };

type Parts = {
  store: SubmissionStore;
  queue: DeliveryQueue;
  worker: DeliveryWorker;
  records: AttemptRecords;
  counters: FormCounters;
  formFinder: FormFinder;
};

/** Submissions as the account's members handle them, and what the visitor's page reports of one. */
export function createFormService(deps: Pick<Deps, "config" | "db" | "databaseKind">, parts: Parts) {
  const { config } = deps;
  const { store, worker, records, counters } = parts;

  async function existing(organizationId: string, id: string): Promise<SubmissionRow> {
    const row = isId("sub", id) ? await store.get(organizationId, id) : undefined;
    if (!row) throw notFound("Submission");
    return row;
  }

  async function detail(organizationId: string, id: string): Promise<FormSubmissionDetail> {
    const row = await existing(organizationId, id);
    const files = await store.fileFacts([id]);
    const attempts = await store.attempts(id);
    const deliveries = (await store.deliveries(id)).map((delivery) => toDelivery(delivery, attempts));
    return { ...toSubmission(row, files), deliveries };
  }

  return {
    detail,
    async list(organizationId: string, { limit, offset = 0, ...query }: SubmissionQuery) {
      const filter = toFilter(query);
      const page = { limit: Math.min(limit ?? PAGE.default, PAGE.max), offset };
      const rows = await store.list(organizationId, filter, page);
      const files = await store.fileFacts(rows.map(({ id }) => id));
      const submissions: FormSubmission[] = rows.map((row) => toSubmission(row, files));
      return { submissions, pagination: { total: await store.count(organizationId, filter), ...page } };
    },
    async file(organizationId: string, id: string, field: string) {
      const file = isId("sub", id) ? await store.file(organizationId, id, field) : undefined;
      if (!file) throw notFound("File");
      return file;
    },
    /** Tries what has not arrived again, now; when all has, the webhook once more. */
    async retry(organizationId: string, id: string): Promise<FormSubmissionDetail> {
      const leased = await restart(await existing(organizationId, id), parts);
      await worker.runWithin(leased, config.webhooks.submitWait);
      return detail(organizationId, id);
    },
    retryFailed: createRetryFailed({ ...parts, failed: createFailedStore(deps) }),
    /** Its counts go with it. */
    async delete(organizationId: string, id: string): Promise<void> {
      await existing(organizationId, id);
      await records.change(id, async (trx, { toolId, agentId, createdAt, status }) => {
        await store.delete(trx, id);
        const { successful, failed } = countsOf(status);
        const less = { submitted: -1, successful: -successful, failed: -failed };
        await counters.add(trx, [{ toolId, agentId, day: dayOf(createdAt), ...less }]);
      });
    },
    /** The first result stands. The same again is fine, another is 409. */
    async reportClientResult({ submissionId, success, message = null, data = null }: ClientResult): Promise<void> {
      // As it will be read again: JSON knows no -0, and no number too large for one.
      const result = JSON.parse(JSON.stringify({ success, message, data }));
      const known = isId("sub", submissionId)
        ? await records.change(submissionId, async (trx, { clientResult }) => {
            if (clientResult === null) await store.setClientResult(trx, submissionId, JSON.stringify(result));
            return clientResult === null ? result : JSON.parse(clientResult);
          })
        : undefined;
      if (!known) throw notFound("Submission");
      if (!isDeepStrictEqual(known, result)) throw new AppError("CONFLICT", "Another result was reported before.");
    },
  };
}

export function toFilter({ from, to, status, agentId, toolId, conversationId }: SubmissionQuery): SubmissionFilter {
  return {
    ...(status === undefined ? {} : { status }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(toolId === undefined ? {} : { toolId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...instantsOf({ from, to }),
  };
}

/** To where the form says now, so that a wrong address can be mended and tried again. */
async function restart(submission: SubmissionRow, { store, queue, records, formFinder }: Parts): Promise<Leased[]> {
  const form = await formFinder.owned(submission.organizationId, submission.toolId);
  const deliveries = await store.deliveries(submission.id);
  const open = deliveries.filter(({ state }) => state === "pending" || state === "failed");
  const chosen = open.length > 0 ? open : deliveries.filter(({ purpose }) => purpose === "webhook");
  if (chosen.length === 0) throw new AppError("CONFLICT", "This submission has nothing that could be delivered again.");
  const restarted = await records.change(submission.id, async (trx) => {
    const leased: Leased[] = [];
    for (const delivery of chosen) {
      leased.push(...(await queue.restart(trx, delivery.id, (form && currentAddress(form, delivery)) ?? delivery)));
    }
    return leased;
  });
  return restarted ?? [];
}

import { setTimeout as sleep } from "node:timers/promises";
import type { SubmissionRetry } from "@foyer/contract";
import type { ToolRow } from "../../db/tables.ts";
import type { DeliveryQueue } from "../../outbox/delivery-queue.ts";
import type { FormFinder } from "../../tools/form/form-finder.ts";
import type { AttemptRecords } from "./attempt-records.ts";
import type { FailedStore } from "./failed-store.ts";
import { findCurrentAddress } from "./submission-deliveries.ts";

type Parts = { failed: FailedStore; queue: DeliveryQueue; records: AttemptRecords; formFinder: FormFinder };

/** The number of submissions that one query reads and one transaction changes. */
const SUBMISSIONS_PER_QUERY = 500;
const SUBMISSIONS_PER_TRANSACTION = 50;

/** The statuses that a submission with a failed delivery can have. Statuses that can still change come first. */
const statusesWithFailures = [
  "pending",
  "submitted",
  "webhook_success",
  "client_success",
  "client_failed",
  "webhook_failed",
  "failed",
] as const;

/**
 * Creates the function that retries failed deliveries, at the forms' current addresses. It resolves to the number of
 * affected submissions once all of their deliveries are queued.
 *
 * It uses small transactions and pauses after each one for as long as it took, so that other work is not delayed. It
 * skips pending and completed deliveries, so a second concurrent call finds nothing to do.
 */
export function createRetryFailed({ failed, queue, records, formFinder }: Parts) {
  /** @returns the ids of the submissions with a delivery that was queued again */
  async function requeue(
    organizationId: string,
    ids: readonly string[],
    { toolIds, forms }: { toolIds: ToolIds; forms: Forms },
  ) {
    for (const id of ids) {
      const toolId = toolIds.get(id) ?? "";
      if (!forms.has(toolId)) forms.set(toolId, await formFinder.owned(organizationId, toolId));
    }
    return records.changeAll(ids, async (trx) => {
      const deliveries = await failed.deliveries(trx, ids);
      const rows = deliveries.map((delivery) => {
        const form = forms.get(toolIds.get(delivery.submissionId) ?? "");
        const { target, host } = (form && findCurrentAddress(form, delivery)) ?? delivery;
        return { id: delivery.id, target, host, previous: delivery };
      });
      const retried = await queue.retryFailed(trx, rows);
      return new Set(deliveries.filter(({ id }) => retried.has(id)).map(({ submissionId }) => submissionId));
    });
  }

  return async (organizationId: string, { agentId, toolId, statuses }: SubmissionRetry): Promise<number> => {
    const retried = new Set<string>();
    const forms: Forms = new Map();
    const scope = { agentId: agentId ?? null, toolId: toolId ?? null };
    for (const status of statusesWithFailures.filter((candidate) => statuses?.includes(candidate) ?? true)) {
      for (let after: string | undefined = ""; after !== undefined; ) {
        const page = await runPaced(() =>
          failed.submissionsAfter(
            organizationId,
            { ...scope, status },
            { after: after ?? "", limit: SUBMISSIONS_PER_QUERY },
          ),
        );
        // A retried submission that has already failed again can appear a second time, with another status.
        const newRows = page.filter(({ id }) => !retried.has(id));
        const toolIds: ToolIds = new Map(newRows.map((row) => [row.id, row.toolId]));
        const ids = await runPaced(() => failed.findWithFailed([...toolIds.keys()]));
        for (let first = 0; first < ids.length; first += SUBMISSIONS_PER_TRANSACTION) {
          const batch = ids.slice(first, first + SUBMISSIONS_PER_TRANSACTION);
          for (const id of await runPaced(() => requeue(organizationId, batch, { toolIds, forms }))) retried.add(id);
        }
        after = page.length < SUBMISSIONS_PER_QUERY ? undefined : page.at(-1)?.id;
      }
    }
    return retried.size;
  };
}

/** Runs `work` and then pauses for as long as it took, because SQLite blocks the event loop of this process. */
async function runPaced<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  await sleep(performance.now() - startedAt);
  return result;
}

/** The current forms by id. The value is undefined for a deleted form. */
type Forms = Map<string, ToolRow | undefined>;

/** The id of the form by the id of the submission. */
type ToolIds = ReadonlyMap<string, string>;

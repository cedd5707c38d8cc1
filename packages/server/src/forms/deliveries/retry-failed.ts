import { setTimeout as rest } from "node:timers/promises";
import type { SubmissionRetry } from "@foyer/contract";
import type { ToolRow } from "../../db/tables.ts";
import type { DeliveryQueue } from "../../outbox/delivery-queue.ts";
import type { FormFinder } from "../../tools/form/form-finder.ts";
import type { AttemptRecords } from "./attempt-records.ts";
import type { FailedStore } from "./failed-store.ts";
import { currentAddress } from "./submission-deliveries.ts";

type Parts = { failed: FailedStore; queue: DeliveryQueue; records: AttemptRecords; formFinder: FormFinder };

/** Submissions that are looked at in one query, and that are changed in one transaction. */
const PAGE = 500;
const BATCH = 50;

/** Where a delivery may have failed for good; those that are still under way come first. */
const withFailures = [
  "pending",
  "submitted",
  "webhook_success",
  "client_success",
  "client_failed",
  "webhook_failed",
  "failed",
] as const;

/**
 * Queues again what failed for good, to where the forms point now: in small transactions, with a rest after each for as
 * long as it took, so that nothing waits long for it. What is pending or has arrived stays as it is, so a second call at
 * the same time finds nothing to do. The returned function resolves to the number of submissions concerned, once all of
 * it is in the queue.
 */
export function createRetryFailed({ failed, queue, records, formFinder }: Parts) {
  /** @returns the submissions of which something was queued, of those given, which have failed parts */
  async function restart(organizationId: string, ids: readonly string[], toolOf: ToolOf, forms: Forms) {
    for (const id of ids) {
      const toolId = toolOf.get(id) ?? "";
      if (!forms.has(toolId)) forms.set(toolId, await formFinder.owned(organizationId, toolId));
    }
    return records.changeAll(ids, async (trx) => {
      const rows = (await failed.deliveries(trx, ids)).map((delivery) => {
        const form = forms.get(toolOf.get(delivery.submissionId) ?? "");
        const { target, host } = (form && currentAddress(form, delivery)) ?? delivery;
        return { id: delivery.id, target, host };
      });
      return queue.restartFailed(trx, rows);
    });
  }

  return async (organizationId: string, { agentId, toolId, statuses }: SubmissionRetry): Promise<number> => {
    const retried = new Set<string>();
    const forms: Forms = new Map();
    const owned = { agentId: agentId ?? null, toolId: toolId ?? null };
    for (const status of withFailures.filter((known) => statuses?.includes(known) ?? true)) {
      for (let after: string | undefined = ""; after !== undefined; ) {
        const page = await paced(() =>
          failed.submissionsAfter(organizationId, { ...owned, status }, after ?? "", PAGE),
        );
        // One that failed again meanwhile may come by once more, with another status.
        const fresh = page.filter(({ id }) => !retried.has(id));
        const toolOf: ToolOf = new Map(fresh.map((row) => [row.id, row.toolId]));
        const ids = await paced(() => failed.withFailed([...toolOf.keys()]));
        for (let first = 0; first < ids.length; first += BATCH) {
          const some = ids.slice(first, first + BATCH);
          for (const id of await paced(() => restart(organizationId, some, toolOf, forms))) retried.add(id);
        }
        after = page.length < PAGE ? undefined : page.at(-1)?.id;
      }
    }
    return retried.size;
  };
}

/** Rests for as long as the work took: SQLite works within this process. */
async function paced<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  await rest(performance.now() - startedAt);
  return result;
}

/** The forms as they are now, by id; undefined for one that is gone. */
type Forms = Map<string, ToolRow | undefined>;

/** A submission's form. */
type ToolOf = ReadonlyMap<string, string>;

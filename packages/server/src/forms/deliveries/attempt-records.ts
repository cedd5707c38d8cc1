import { type NotNull, sql } from "kysely";
import { createBatchWriter } from "../../db/batch-writer.ts";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import { jsonRows, toJson } from "../../db/json-rows.ts";
import type { SubmissionRow } from "../../db/tables/forms.ts";
import type { DeliveryRow } from "../../db/tables/outbox.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { NewEvent, RecordEvents } from "../../events/record-events.ts";
import type { CompletedAttempt as Completed } from "../../outbox/attempts.ts";
import type { LeasedDelivery } from "../../outbox/delivery-queue.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import { toUtcDay } from "../../utc-day.ts";
import { countStatusChange, type DayDelta, type FormCounters } from "../analytics/form-counters.ts";
import type { SubmissionDelivery } from "../submission-delivery.ts";
import { createFailureNotices } from "./failure-notices.ts";
import { combineOutcomes } from "./submission-status.ts";

type CompletedAttempt = Completed<SubmissionDelivery>;
type StatusRow = Pick<SubmissionRow, (typeof statusColumns)[number]>;

const statusColumns = [
  ...(["id", "organizationId", "agentId", "toolId", "status"] as const),
  ...(["executionMode", "clientResult", "createdAt", "conversationId", "hasConversationProof"] as const),
];

export type AttemptRecords = ReturnType<typeof createAttemptRecords>;

/**
 * Records attempts together with their effects: the delivery's state, the submission's status, the counters, the
 * deliveries that waited for it, and the notice to the owners. Many attempts share one transaction.
 */
export function createAttemptRecords(
  { db, databaseKind, mailer }: Pick<Deps, "db" | "databaseKind" | "mailer">,
  { queue, attempts }: Pick<Outbox, "queue" | "attempts">,
  { counters, recordEvents }: { counters: FormCounters; recordEvents: RecordEvents },
) {
  const queries = recordQueries({ db, databaseKind });
  const notices = createFailureNotices({ db, mailer }, queue);

  /**
   * @returns `settled`, the attempts that were recorded (without those whose lease was lost), and `released`, the
   * deliveries that each attempt of the batch unblocked
   */
  async function settle(
    trx: Executor,
    batch: readonly CompletedAttempt[],
  ): Promise<{ settled: CompletedAttempt[]; released: LeasedDelivery[][] }> {
    const numbers = await attempts.settle(trx, batch);
    const isFirst = ({ delivery }: CompletedAttempt) =>
      numbers.get(delivery.id) === 1 && (delivery.purpose === "webhook" || delivery.purpose === "action");
    const released = await queue.releaseWaiting(trx, batch.filter(isFirst).map(getSubmissionId));
    return {
      settled: batch.filter(({ delivery }) => numbers.has(delivery.id)),
      released: batch.map((made) =>
        isFirst(made) ? released.filter((next) => next.submissionId === getSubmissionId(made)) : [],
      ),
    };
  }

  async function writeBatch(trx: Executor, batch: readonly CompletedAttempt[]): Promise<LeasedDelivery[][]> {
    const submissions = await lockSubmissions(trx, batch.map(getSubmissionId));
    const { settled, released } = await settle(trx, batch);
    const failures = settled.filter(isFailed);
    const failedIds = new Set(failures.map(getSubmissionId));
    for (const submission of submissions) if (failedIds.has(submission.id)) await notices.add(trx, submission);
    await counters.add(trx, await updateStatus(trx, submissions));
    const byId = new Map(submissions.map((submission) => [submission.id, submission]));
    await recordEvents(
      trx,
      failures.flatMap((made) => failureEvent(made, byId.get(getSubmissionId(made)))),
    );
    return released;
  }

  /** Locks these submissions until the transaction ends. */
  async function lockSubmissions(trx: Executor, ids: readonly string[]): Promise<StatusRow[]> {
    return (await queries.lockSubmissions(trx, { json: encodeIds(ids) })).rows;
  }

  /** Updates the status of the submissions. @returns the amounts to add to the counters */
  async function updateStatus(trx: Executor, submissions: readonly StatusRow[]): Promise<DayDelta[]> {
    const parts = (await queries.selectParts(trx, { json: encodeIds(submissions.map(({ id }) => id)) })).rows;
    const partsById = Map.groupBy(parts, ({ submissionId }) => submissionId);
    const changed = submissions
      .map((submission) => ({ submission, status: deriveStatus(submission, partsById.get(submission.id) ?? []) }))
      .filter(({ submission, status }) => status !== submission.status);
    const rows = changed.map(({ submission: { id }, status }) => ({ id, status }));
    if (rows.length > 0) await queries.setStatus(trx, { json: toJson(rows), now: Date.now() });
    return changed.map(({ submission: { toolId, agentId, createdAt, status: before }, status }) => ({
      toolId,
      agentId,
      day: toUtcDay(createdAt),
      ...countStatusChange(before, status),
    }));
  }

  function changeAll<T>(
    ids: readonly string[],
    work: (trx: Executor, submissions: StatusRow[]) => Promise<T>,
  ): Promise<T> {
    return inTransaction(db, async (trx) => {
      const result = await work(trx, await lockSubmissions(trx, ids));
      await counters.add(trx, await updateStatus(trx, await lockSubmissions(trx, ids)));
      return result;
    });
  }

  const write = createBatchWriter(db, writeBatch, { maxItems: 200 });
  return {
    /** @returns the deliveries that this attempt unblocked, leased to this process */
    write: (made: CompletedAttempt): Promise<LeasedDelivery[]> => write(made),
    /**
     * Locks a submission, runs `work`, and updates the submission's status.
     * @returns the result of `work`, or undefined when the submission does not exist
     */
    change<T>(id: string, work: (trx: Executor, submission: StatusRow) => Promise<T>): Promise<T | undefined> {
      return changeAll([id], async (trx, [before]) => before && work(trx, before));
    },
    /** Does the same as `change` for several submissions. `work` runs even if none of them exists. */
    changeAll,
  };
}

const isFailed = ({ delivery, next }: CompletedAttempt) =>
  next.state === "failed" && (delivery.purpose === "webhook" || delivery.purpose === "action");

function failureEvent({ delivery, attempt }: CompletedAttempt, submission: StatusRow | undefined): NewEvent[] {
  if (!submission) return [];
  const { id: submissionId, organizationId, agentId, toolId, conversationId, hasConversationProof } = submission;
  const { id: deliveryId, host } = delivery;
  const { status, error } = attempt;
  return [
    {
      type: "form.delivery_failed",
      organizationId,
      agentId,
      conversationId: hasConversationProof === 1 ? conversationId : null,
      submissionId,
      data: () => ({ submissionId, toolId, deliveryId, host, status, error: error ?? "" }),
    },
  ];
}

type Part = Pick<DeliveryRow, "purpose" | "state">;

/** Determines the status from the submission's parts. Notices to owners and confirmation emails do not count. */
export function deriveStatus(
  submission: Pick<SubmissionRow, "executionMode" | "clientResult">,
  deliveries: readonly Part[],
) {
  const getOutcome = ({ state }: Part) =>
    state === "delivered" ? "success" : state === "failed" ? "failed" : "pending";
  const webhook = deliveries.find(({ purpose }) => purpose === "webhook");
  const { executionMode, clientResult } = submission;
  const clientOutcome = clientResult === null ? "pending" : JSON.parse(clientResult).success ? "success" : "failed";
  return combineOutcomes({
    webhook: webhook ? getOutcome(webhook) : null,
    client: executionMode === "webhook" ? null : clientOutcome,
    actions: deliveries.filter(({ purpose }) => purpose === "action").map(getOutcome),
  });
}

const getSubmissionId = ({ delivery }: CompletedAttempt) => delivery.submissionId;
const encodeIds = (ids: readonly string[]) => toJson(ids.map((id) => ({ id })));

function recordQueries({ db, databaseKind: kind }: Pick<Deps, "db" | "databaseKind">) {
  const ids = (json: string) => db.selectFrom(jsonRows<{ id: string }>(kind, json, { id: "text" })).select("rows.id");
  return {
    /** Lock in a consistent order, so that two processes cannot deadlock. */
    lockSubmissions: compileOnce<{ json: string }, StatusRow>((param) =>
      db
        .selectFrom("submissions")
        .select(statusColumns)
        .where("id", "in", ids(param("json")))
        .orderBy("id")
        .$if(kind === "postgres", (query) => query.forUpdate()),
    ),
    selectParts: compileOnce<{ json: string }, Part & { submissionId: string }>((param) =>
      db
        .selectFrom("deliveries")
        .select(["submissionId", "purpose", "state"])
        .$narrowType<{ submissionId: NotNull }>()
        .where("submissionId", "in", ids(param("json")))
        .orderBy("position"),
    ),
    setStatus: compileOnce<{ json: string; now: number }, never>((param) =>
      db
        .updateTable("submissions")
        .from(jsonRows<Pick<SubmissionRow, "id" | "status">>(kind, param("json"), { id: "text", status: "text" }))
        .set({ status: sql.ref("rows.status"), updatedAt: param("now") })
        .whereRef("submissions.id", "=", "rows.id"),
    ),
  };
}

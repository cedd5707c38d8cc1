import { createBatchWriter } from "../../db/batch-writer.ts";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import type { SubmissionFileRow, SubmissionRow } from "../../db/tables/forms.ts";
import type { NewEvent, RecordEvents } from "../../events/record-events.ts";
import { failpoint } from "../../failpoints.ts";
import type { DeliveryQueue, NewDelivery } from "../../outbox/delivery-queue.ts";
import { toUtcDay } from "../../utc-day.ts";
import { countStatus, type FormCounters } from "../analytics/form-counters.ts";
import type { SubmissionQuota } from "./submission-quota.ts";

export type NewSubmission = {
  submission: SubmissionRow;
  files: readonly SubmissionFileRow[];
  /** the webhook and the post actions, in order */
  deliveries: NewDelivery[];
  /** the size of the data and the files */
  bytes: number;
  /** fields that count as completed */
  completed: string[];
  /** runs in the transaction that stores the submission */
  onWrite?: (trx: Executor) => Promise<void>;
};

type WriterParts = {
  queue: DeliveryQueue;
  counters: FormCounters;
  quota: SubmissionQuota;
  recordEvents: RecordEvents;
};

/**
 * Creates a function that stores a new submission with its files, deliveries and counts. Many submissions share one
 * transaction. The deliveries are leased to the caller, or become due after `firstWaitMs`.
 * @returns a function that resolves when the submission is durable
 */
export function createSubmissionWriter(
  db: Db,
  { queue, counters, quota, recordEvents }: WriterParts,
  firstWaitMs?: number,
) {
  const insertSubmission = compileOnce<SubmissionRow, never>((param) =>
    db.insertInto("submissions").values({
      id: param("id"),
      organizationId: param("organizationId"),
      agentId: param("agentId"),
      toolId: param("toolId"),
      toolName: param("toolName"),
      conversationId: param("conversationId"),
      hasConversationProof: param("hasConversationProof"),
      userId: param("userId"),
      verifiedVisitor: param("verifiedVisitor"),
      executionMode: param("executionMode"),
      clientHandler: param("clientHandler"),
      formData: param("formData"),
      fieldsCompleted: param("fieldsCompleted"),
      changedByVisitor: param("changedByVisitor"),
      impressionAt: param("impressionAt"),
      startedAt: param("startedAt"),
      status: param("status"),
      formInstanceId: param("formInstanceId"),
      clientResult: param("clientResult"),
      createdAt: param("createdAt"),
      updatedAt: param("updatedAt"),
    }),
  );
  const insertFile = compileOnce<SubmissionFileRow, never>((param) =>
    db.insertInto("submissionFiles").values({
      submissionId: param("submissionId"),
      field: param("field"),
      prefix: param("prefix"),
      mediaType: param("mediaType"),
      size: param("size"),
      content: param("content"),
      name: param("name"),
    }),
  );

  async function writeBatch(trx: Executor, batch: readonly NewSubmission[]): Promise<undefined[]> {
    for (const { submission, files, deliveries, onWrite } of batch) {
      await insertSubmission(trx, submission);
      for (const file of files) await insertFile(trx, file);
      await queue.insert(trx, deliveries, firstWaitMs);
      await onWrite?.(trx);
    }
    const impressions = await counters.recordImpressions(trx, batch.map(createImpression));
    await counters.add(trx, [...impressions, ...batch.map(createDelta)]);
    await quota.add(
      trx,
      batch.map(({ submission: { agentId, createdAt }, bytes }) => ({ agentId, createdAt, bytes })),
    );
    await recordEvents(trx, batch.map(createSubmittedEvent));
    failpoint("submission.committing");
    return batch.map(() => undefined);
  }

  return createBatchWriter(db, writeBatch, { maxItems: 200 });
}

/**
 * The event contains the conversation's id only if the request proved access to it, because a visitor can send any id.
 */
function createSubmittedEvent({ submission }: NewSubmission): NewEvent {
  const { id: submissionId, organizationId, agentId, conversationId, hasConversationProof } = submission;
  const { toolId, toolName, formData } = submission;
  return {
    type: "form.submitted",
    organizationId,
    agentId,
    conversationId: hasConversationProof === 1 ? conversationId : null,
    submissionId,
    data: () => ({ submissionId, toolId, toolName, formData: JSON.parse(formData) }),
  };
}

/** Creates the impression of a submission. A submission implies that its form was displayed and started. */
function createImpression({ submission, completed }: NewSubmission) {
  const { toolId, agentId, formInstanceId, createdAt } = submission;
  return { toolId, agentId, id: formInstanceId, day: toUtcDay(createdAt), isStarted: true, fields: completed };
}

function createDelta({ submission: { toolId, agentId, createdAt, status } }: NewSubmission) {
  return { toolId, agentId, day: toUtcDay(createdAt), submitted: 1, ...countStatus(status) };
}

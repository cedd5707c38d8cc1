import type { FormSchema, FormSubmit, SubmitResult } from "@foyer/contract";
import { validateForm } from "@foyer/contract/rules/validate-form";
import type { AgentService } from "../../agents/service.ts";
import type { SubmissionRow } from "../../db/form-tables.ts";
import type { AgentRow, ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import type { Keep } from "../../http/idempotency.ts";
import { newId } from "../../ids.ts";
import type { NewDelivery } from "../../outbox/delivery-queue.ts";
import type { DeliveryWorker } from "../../outbox/delivery-worker.ts";
import type { FormFinder } from "../../tools/form/form-finder.ts";
import { patternFor } from "../../tools/schema/tool-pattern.ts";
import { toFormNotFound } from "../deleted-form.ts";
import { statusOf } from "../deliveries/attempt-records.ts";
import { confirmationDelivery, deliveriesOf, resultsOf } from "../deliveries/submission-deliveries.ts";
import type { DeliveryOutcome, SubmissionStore } from "../submission-store.ts";
import type { Confirmations } from "./confirmations.ts";
import type { NewSubmission } from "./new-submissions.ts";
import type { DecodedFile } from "./read-submission.ts";
import type { SubmissionQuota } from "./submission-quota.ts";
import { type SubmittedFile, submittedFiles } from "./submitted-files.ts";

type Files = ReadonlyMap<string, DecodedFile>;
/** The model of the conversation is told of it only when the request proved that it may speak there. */
type Submitted = FormSubmit & { hasConversationProof?: boolean };

/** UTF-8, as JSON. Everything that is listed, exported or told to a model is bounded by this. */
const MAX_DATA_BYTES = 100 * 1024;
const MAX_IGNORED_NAMES = 100;

/** What a visitor's submission goes through: checked, kept together with what is to be delivered, tried at once. */
export function createSubmitForm(
  { config }: Pick<Deps, "config">,
  services: { agents: AgentService; formFinder: FormFinder },
  store: SubmissionStore,
  parts: {
    keep: (submission: NewSubmission) => Promise<unknown>;
    worker: DeliveryWorker;
    quota: SubmissionQuota;
    confirmations: Confirmations;
  },
) {
  const { keep, worker, quota, confirmations } = parts;
  const ownOrigin = new URL(config.baseUrl).origin;
  const isTriedAtOnce = config.webhooks.schedule[0] === 0;

  /** Tries what is due first, and whatever that lets go on, for as long as a visitor can be asked to wait. */
  async function deliverNow({ deliveries }: NewSubmission): Promise<void> {
    const due = isTriedAtOnce ? deliveries.filter(({ state }) => state === "pending") : [];
    if (due.length === 0) return;
    const leased = due.map((delivery) => ({ ...delivery, dueAt: 0 }));
    await worker.runWithin(leased, config.webhooks.submitWait);
  }

  return {
    /** The form and its agent, if a page on this origin may use them. @throws 404, 403 */
    async formFor(toolId: string, origin: string | undefined): Promise<{ tool: ToolRow; agent: AgentRow }> {
      const tool = await services.formFinder.submittable(toolId);
      const agent = await services.agents.getPublic(tool.agentId);
      services.agents.checkOrigin(agent, origin, ownOrigin);
      return { tool, agent };
    },
    /** @throws 400 with one detail for each field that is wrong */
    async submit(tool: ToolRow, input: Submitted, files: Files, remember?: Keep): Promise<SubmitResult> {
      const { formData, kept, ignored } = check(tool, input, files);
      const made = newSubmission(tool, { ...input, formData }, kept);
      await quota.check(tool.agentId, made.bytes);
      const confirmation = await confirmations.of(tool, formData);
      const isFirst = made.deliveries[0]?.purpose !== "webhook";
      if (confirmation) made.deliveries.push(confirmationDelivery(made.submission, confirmation, isFirst));
      const ignoredFields = ignored.slice(0, MAX_IGNORED_NAMES).map((name) => name.slice(0, 100).toWellFormed());
      const told = ignoredFields.length > 0 ? { ignoredFields } : {};
      const known = { ...resultFor(made.submission, made.deliveries.map(untried)), ...told };
      await keep(remember ? { ...made, also: (trx) => remember(trx, tool.agentId, known) } : made).catch(
        toFormNotFound,
      );
      failpoint("submission.committed");
      await deliverNow(made);
      failpoint("submission.answering");
      if (made.deliveries.length === 0) return known;
      return { ...resultFor(made.submission, await store.outcomes(made.submission.id)), ...told };
    },
  };
}

const untried = (delivery: NewDelivery): DeliveryOutcome => ({ ...delivery, error: null });

/** What the visitor is told of a submission, as it stands. */
function resultFor(submission: SubmissionRow, outcomes: readonly DeliveryOutcome[]): SubmitResult {
  const { id: submissionId, executionMode, clientHandler } = submission;
  return { success: true, submissionId, executionMode, ...resultsOf(outcomes), clientHandler };
}

function check(tool: ToolRow, { formData, fileNames }: FormSubmit, files: Files) {
  const schema: FormSchema = JSON.parse(tool.formSchema ?? '{"fields":[]}');
  const { data, kept, ignored } = submittedFiles(schema.fields, { formData, files, fileNames: fileNames ?? {} });
  const problems = validateForm(schema.fields, data, patternFor, kept);
  if (problems.length > 0) {
    const details = problems.map(({ field, code, message }) => ({ path: `formData.${field}`, code, message }));
    const code = problems.some(({ code }) => code === "file_size") ? "FILE_TOO_LARGE" : "VALIDATION_ERROR";
    throw new AppError(code, `${problems.map(({ message }) => message.replace(/\.$/, "")).join("; ")}.`, { details });
  }
  return { formData: data, kept, ignored };
}

function newSubmission(tool: ToolRow, input: Submitted, kept: ReadonlyMap<string, SubmittedFile>): NewSubmission {
  const { id: toolId, organizationId, agentId, name: toolName, formClientHandler: clientHandler } = tool;
  const now = Date.now();
  const id = newId("sub");
  const formData = JSON.stringify(input.formData);
  const dataBytes = Buffer.byteLength(formData);
  if (dataBytes > MAX_DATA_BYTES) {
    throw new AppError(
      "FILE_TOO_LARGE",
      "The form's answers are too large: apart from files, a submission takes 100 KiB.",
    );
  }
  const completed = knownFields(tool, input.fieldsCompleted);
  const deliveries = deliveriesOf(tool, { id, createdAt: now });
  const executionMode = tool.formExecutionMode ?? "webhook";
  const status = statusOf({ executionMode, clientResult: null }, deliveries);
  const submission: SubmissionRow = {
    id,
    organizationId,
    agentId,
    toolId,
    toolName,
    conversationId: input.conversationId ?? null,
    hasConversationProof: input.hasConversationProof ? 1 : 0,
    executionMode,
    clientHandler: executionMode === "webhook" ? null : clientHandler,
    formData,
    status,
    clientResult: null,
    fieldsCompleted: JSON.stringify(completed),
    formInstanceId: input.formInstanceId ?? id,
    impressionAt: input.impressionAt ?? null,
    startedAt: input.startedAt ?? null,
    createdAt: now,
    updatedAt: now,
  };
  const files = [...kept].map(([field, file]) => ({ submissionId: id, field, ...file }));
  const bytes = [...kept.values()].reduce((sum, { size }) => sum + size, dataBytes);
  return { submission, files, deliveries, completed, bytes };
}

/** Only the form's own fields are counted: anybody can name others. */
function knownFields({ formSchema }: ToolRow, names: readonly string[]): string[] {
  const { fields }: FormSchema = JSON.parse(formSchema ?? '{"fields":[]}');
  const known = new Set(fields.map(({ name }) => name));
  return [...new Set(names)].filter((name) => known.has(name));
}

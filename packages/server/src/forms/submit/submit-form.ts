import { domainToUnicode } from "node:url";
import type { FormSchema, FormSubmit, SubmitResult, VerifiedVisitor } from "@foyer/contract";
import { validateForm } from "@foyer/contract/rules/validate-form";
import type { AgentService } from "../../agents/service.ts";
import type { SubmissionRow } from "../../db/tables/forms.ts";
import type { AgentRow, ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import type { SaveResponse } from "../../http/idempotency.ts";
import { newId } from "../../ids.ts";
import type { NewDelivery } from "../../outbox/delivery-queue.ts";
import type { DeliveryWorker } from "../../outbox/delivery-worker.ts";
import type { FormFinder } from "../../tools/form/form-finder.ts";
import { testPatterns } from "../../tools/form/form-pattern.ts";
import { toFormNotFound } from "../deleted-form.ts";
import { deriveStatus } from "../deliveries/attempt-records.ts";
import type { Confirmations } from "../deliveries/confirmations.ts";
import {
  createConfirmationDelivery,
  createDeliveries,
  summarizeOutcomes,
} from "../deliveries/submission-deliveries.ts";
import type { DeliveryOutcome, SubmissionStore } from "../submission-store.ts";
import type { NewSubmission } from "./new-submissions.ts";
import { keepReadOnly } from "./read-only-answers.ts";
import type { DecodedFile } from "./read-submission.ts";
import type { SubmissionQuota } from "./submission-quota.ts";
import { type SubmittedFile, separateFiles } from "./submitted-files.ts";

type Files = ReadonlyMap<string, DecodedFile>;
type SubmitInput = FormSubmit & {
  /** whether the request proved access to the conversation; only then does the model see the submission */
  hasConversationProof?: boolean;
  /** the visitor's identity, if it was verified */
  verified?: VerifiedVisitor | null;
};

/**
 * The maximum size of the data as JSON, in bytes of UTF-8. It also limits what is listed, exported and sent to a model.
 */
const MAX_DATA_BYTES = 100 * 1024;
const MAX_IGNORED_NAMES = 100;

export type SubmitForm = ReturnType<typeof createSubmitForm>;

/** Handles visitors' submissions: validates each one, stores it with its deliveries, and attempts the deliveries. */
export function createSubmitForm(
  { config }: Pick<Deps, "config">,
  parts: {
    agents: AgentService;
    formFinder: FormFinder;
    store: SubmissionStore;
    saveSubmission: (submission: NewSubmission) => Promise<unknown>;
    worker: DeliveryWorker;
    quota: SubmissionQuota;
    confirmations: Confirmations;
  },
) {
  const { agents, formFinder, store, saveSubmission, worker, quota, confirmations } = parts;
  const ownOrigin = new URL(config.baseUrl).origin;
  const isAttemptedImmediately = config.webhooks.schedule[0] === 0;

  /**
   * Attempts the pending deliveries and those that they unblock. Returns after `submitWait` at the latest, because the
   * visitor is waiting for the response.
   */
  async function deliverNow({ deliveries }: NewSubmission): Promise<void> {
    const due = isAttemptedImmediately ? deliveries.filter(({ state }) => state === "pending") : [];
    if (due.length === 0) return;
    const leased = due.map((delivery) => ({ ...delivery, dueAt: 0 }));
    await worker.runWithin(leased, config.webhooks.submitWait);
  }

  return {
    /**
     * Returns the form and its agent.
     * @throws 404 if there is no such form, 403 if pages on this origin may not use the agent
     */
    async formFor(toolId: string, origin: string | undefined): Promise<{ tool: ToolRow; agent: AgentRow }> {
      const tool = await formFinder.submittable(toolId);
      const agent = await agents.getPublic(tool.agentId);
      agents.checkOrigin(agent, origin, ownOrigin);
      return { tool, agent };
    },
    /** @throws 403 if the form requires a verified visitor and this visitor is not verified */
    checkVisitor({ requires }: ToolRow, visitor: { verified: VerifiedVisitor | null; isForeign: boolean }): void {
      if (requires !== "verified" || visitor.verified !== null) return;
      const advice = visitor.isForeign
        ? "The conversation was started in another session. Start a new conversation."
        : "Send a userToken or a userHash.";
      throw new AppError("FORBIDDEN", `This form is only for signed-in visitors. ${advice}`);
    },
    /** @throws 400 with one detail for each invalid field */
    async submit(
      tool: ToolRow,
      input: SubmitInput,
      { files, saveResponse }: { files: Files; saveResponse?: SaveResponse | undefined },
    ): Promise<SubmitResult> {
      const { formData, changeable, kept, ignored } = await validateInput(tool, input, files);
      const created = createSubmission(tool, { ...input, formData, changeable }, kept);
      await quota.check(tool.agentId, created.bytes);
      const confirmation = await confirmations.prepare(tool, formData);
      const isFirst = created.deliveries[0]?.purpose !== "webhook";
      if (confirmation) created.deliveries.push(createConfirmationDelivery(created.submission, confirmation, isFirst));
      const ignoredFields = ignored.slice(0, MAX_IGNORED_NAMES).map((name) => name.slice(0, 100).toWellFormed());
      const warnings = ignoredFields.length > 0 ? { ignoredFields } : {};
      const initialResult = {
        ...createResult(created.submission, created.deliveries.map(createInitialOutcome)),
        ...warnings,
      };
      await saveSubmission(
        saveResponse ? { ...created, onWrite: (trx) => saveResponse(trx, tool.agentId, initialResult) } : created,
      ).catch(toFormNotFound);
      failpoint("submission.committed");
      await deliverNow(created);
      failpoint("submission.answering");
      if (created.deliveries.length === 0) return initialResult;
      return { ...createResult(created.submission, await store.outcomes(created.submission.id)), ...warnings };
    },
  };
}

const createInitialOutcome = (delivery: NewDelivery): DeliveryOutcome => ({ ...delivery, error: null });

/** Creates the response to the visitor from the current state of the deliveries. */
function createResult(submission: SubmissionRow, outcomes: readonly DeliveryOutcome[]): SubmitResult {
  const { id: submissionId, executionMode, clientHandler } = submission;
  return { success: true, submissionId, executionMode, ...summarizeOutcomes(outcomes), clientHandler };
}

async function validateInput(tool: ToolRow, { formData, fileNames, verified = null }: SubmitInput, files: Files) {
  const schema: FormSchema = JSON.parse(tool.formSchema ?? '{"fields":[]}');
  const separated = separateFiles(schema.fields, { formData, files, fileNames: fileNames ?? {} });
  const { kept, ignored } = separated;
  const { formData: data, changeable } = keepReadOnly(schema.fields, separated.data, verified);
  const compilePattern = await testPatterns(tool.organizationId, schema.fields, data);
  const problems = validateForm(schema.fields, data, { compilePattern, files: kept });
  if (problems.length > 0) {
    const details = problems.map(({ field, code, message }) => ({ path: `formData.${field}`, code, message }));
    const code = problems.some(({ code }) => code === "file_size") ? "FILE_TOO_LARGE" : "VALIDATION_ERROR";
    throw new AppError(code, `${problems.map(({ message }) => message.replace(/\.$/, "")).join("; ")}.`, { details });
  }
  return { formData: withReadableEmails(schema, data), changeable, kept, ignored };
}

/** Chrome sends the domain of an address in ASCII (`xn--mller-kva.de`), and other browsers as it was typed. */
function withReadableEmails({ fields }: FormSchema, data: Record<string, unknown>): Record<string, unknown> {
  const readable = fields.flatMap(({ name, type }) => {
    const address = data[name];
    if (type !== "email" || typeof address !== "string" || !/\bxn--/i.test(address)) return [];
    const at = address.lastIndexOf("@") + 1;
    const domain = domainToUnicode(address.slice(at));
    return domain === "" ? [] : [[name, address.slice(0, at) + domain] as const];
  });
  return { ...data, ...Object.fromEntries(readable) };
}

function createSubmission(
  tool: ToolRow,
  input: SubmitInput & { changeable: string[] },
  kept: ReadonlyMap<string, SubmittedFile>,
): NewSubmission {
  const { id: toolId, organizationId, agentId, name: toolName, formClientHandler: clientHandler } = tool;
  const now = Date.now();
  const id = newId("sub");
  const formData = JSON.stringify(input.formData);
  const dataBytes = Buffer.byteLength(formData);
  if (dataBytes > MAX_DATA_BYTES) {
    throw new AppError(
      "FILE_TOO_LARGE",
      "The form data is too large. Without its files, a submission is limited to 100 KiB.",
    );
  }
  const completed = selectKnownFields(tool, input.fieldsCompleted);
  const deliveries = createDeliveries(tool, { id, organizationId, createdAt: now });
  const executionMode = tool.formExecutionMode ?? "webhook";
  const status = deriveStatus({ executionMode, clientResult: null }, deliveries);
  const submission: SubmissionRow = {
    id,
    organizationId,
    agentId,
    toolId,
    toolName,
    conversationId: input.conversationId ?? null,
    hasConversationProof: input.hasConversationProof ? 1 : 0,
    userId: input.userId ?? null,
    verifiedVisitor: input.verified ? JSON.stringify(input.verified) : null,
    executionMode,
    clientHandler: executionMode === "webhook" ? null : clientHandler,
    formData,
    status,
    clientResult: null,
    fieldsCompleted: JSON.stringify(completed),
    changedByVisitor: input.changeable.length > 0 ? JSON.stringify(input.changeable) : null,
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

/** Removes duplicates and names that are not fields of the form, because a visitor can send any names. */
function selectKnownFields({ formSchema }: ToolRow, names: readonly string[]): string[] {
  const { fields }: FormSchema = JSON.parse(formSchema ?? '{"fields":[]}');
  const knownNames = new Set(fields.map(({ name }) => name));
  return [...new Set(names)].filter((name) => knownNames.has(name));
}

import type { FormSchema, FormSubmit, SubmitResult } from "@foyer/contract";
import { validateForm } from "@foyer/contract/rules/validate-form";
import type { AgentService } from "../agents/agent-service.ts";
import type { SubmissionRow } from "../db/form-tables.ts";
import type { ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import type { Keep } from "../http/idempotency.ts";
import { newId } from "../ids.ts";
import { reached } from "../milestones.ts";
import type { NewDelivery } from "../outbound/delivery-queue.ts";
import type { DeliveryWorker } from "../outbound/delivery-worker.ts";
import type { FormFinder } from "../tools/form-finder.ts";
import { patternFor } from "../tools/tool-pattern.ts";
import { statusOf } from "./attempt-records.ts";
import { refuseGone } from "./gone-form.ts";
import type { NewSubmission } from "./new-submissions.ts";
import type { DecodedFile } from "./read-submission.ts";
import { deliveriesOf, resultsOf } from "./submission-deliveries.ts";
import type { DeliveryOutcome, SubmissionStore } from "./submission-store.ts";
import { type SubmittedFile, submittedFiles } from "./submitted-files.ts";

type Files = ReadonlyMap<string, DecodedFile>;
/** The model of the conversation is told of it only when the request proved that it may speak there. */
type Submitted = FormSubmit & { hasConversationProof?: boolean };

const MAX_DATA_CHARACTERS = 1_000_000;

/** What a visitor's submission goes through: checked, kept together with what is to be delivered, tried at once. */
export function createSubmitForm(
  { config }: Pick<Deps, "config">,
  services: { agents: AgentService; formFinder: FormFinder },
  store: SubmissionStore,
  keep: (submission: NewSubmission) => Promise<unknown>,
  worker: DeliveryWorker,
) {
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
    /** The form and its agent, when a page on this origin may use it. @throws 404, 403 */
    async formFor(toolId: string, origin: string | undefined): Promise<ToolRow> {
      const tool = await services.formFinder.submittable(toolId);
      services.agents.checkOrigin(await services.agents.getPublic(tool.agentId), origin, ownOrigin);
      return tool;
    },
    /** @throws 400 with one detail for each field that is wrong */
    async submit(tool: ToolRow, input: Submitted, files: Files, remember?: Keep): Promise<SubmitResult> {
      const { formData, kept } = check(tool, input, files);
      const made = newSubmission(tool, { ...input, formData }, kept);
      const known = resultFor(made.submission, made.deliveries.map(untried));
      await keep(remember ? { ...made, also: (trx) => remember(trx, tool.agentId, known) } : made).catch(refuseGone);
      reached("submission.committed");
      await deliverNow(made);
      reached("submission.answering");
      return made.deliveries.length > 0 ? resultFor(made.submission, await store.outcomes(made.submission.id)) : known;
    },
  };
}

const untried = (delivery: NewDelivery): DeliveryOutcome => ({ ...delivery, error: null });

/** What the visitor is told of a submission, as it stands. */
function resultFor(submission: SubmissionRow, outcomes: readonly DeliveryOutcome[]): SubmitResult {
  const { id: submissionId, executionMode, clientHandler } = submission;
  return { success: true, submissionId, executionMode, ...resultsOf(outcomes), clientHandler };
}

function check(tool: ToolRow, { formData }: FormSubmit, files: Files) {
  const schema: FormSchema = JSON.parse(tool.formSchema ?? '{"fields":[]}');
  const { data, kept } = submittedFiles(schema.fields, formData, files);
  const problems = validateForm(schema.fields, data, patternFor, kept);
  if (problems.length > 0) {
    const details = problems.map(({ field, code, message }) => ({ path: `formData.${field}`, code, message }));
    const code = problems.some(({ code }) => code === "file_size") ? "FILE_TOO_LARGE" : "VALIDATION_ERROR";
    throw new AppError(code, `${problems.map(({ message }) => message.replace(/\.$/, "")).join("; ")}.`, { details });
  }
  return { formData: data, kept };
}

function newSubmission(tool: ToolRow, input: Submitted, kept: ReadonlyMap<string, SubmittedFile>): NewSubmission {
  const { id: toolId, organizationId, agentId, name: toolName, formClientHandler: clientHandler } = tool;
  const now = Date.now();
  const id = newId("sub");
  const formData = JSON.stringify(input.formData);
  if (formData.length > MAX_DATA_CHARACTERS) {
    throw new AppError("FILE_TOO_LARGE", `Apart from files, a form takes ${MAX_DATA_CHARACTERS} characters.`);
  }
  const deliveries = deliveriesOf(tool, { id, createdAt: now });
  const executionMode = tool.formExecutionMode ?? "webhook";
  const status = statusOf({ executionMode, clientResult: null }, deliveries);
  const submission: SubmissionRow = {
    ...{
      id,
      organizationId,
      agentId,
      toolId,
      toolName,
      conversationId: input.conversationId ?? null,
      hasConversationProof: input.hasConversationProof ? 1 : 0,
      executionMode,
    },
    ...{ clientHandler: executionMode === "webhook" ? null : clientHandler, formData, status, clientResult: null },
    ...{ fieldsCompleted: JSON.stringify(input.fieldsCompleted), formInstanceId: input.formInstanceId ?? id },
    ...{ impressionAt: input.impressionAt ?? null, startedAt: input.startedAt ?? null, createdAt: now, updatedAt: now },
  };
  const files = [...kept].map(([field, file]) => ({ submissionId: id, field, ...file }));
  return { submission, files, deliveries, completed: knownFields(tool, input.fieldsCompleted) };
}

/** Only the form's own fields are counted: anybody can name others. */
function knownFields({ formSchema }: ToolRow, names: readonly string[]): string[] {
  const { fields }: FormSchema = JSON.parse(formSchema ?? '{"fields":[]}');
  const known = new Set(fields.map(({ name }) => name));
  return names.filter((name) => known.has(name));
}

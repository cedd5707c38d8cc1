import { ownFormText } from "@foyer/contract/rules/form-texts";
import { type FormSubmit, FoyerError, type SubmitResult, type VisitorForm } from "@foyer/sdk";
import { toAnswers } from "../form-values/answers.ts";
import { toFormData } from "../form-values/field-values.ts";
import { type FormStorage, isPinned } from "../form-values/form-storage.ts";
import { sendableIdentity } from "../loader/page-values.ts";
import { randomId } from "../loader/random-id.ts";
import type { VisitorSession } from "../loader/visitor-session.ts";
import { toFailure } from "./error-messages.ts";
import { type Problems, toFieldErrors } from "./form-check.ts";
import type { FormController } from "./form-controller.ts";
import type { FormEvents } from "./form-events.ts";
import type { FormPanel } from "./form-panel.ts";
import { isWaiting } from "./form-state.ts";
import { reportResult, runHandler } from "./run-handler.ts";
import { isUnreadable, type Outgoing, sendForm } from "./send-form.ts";

type Parts = { form: VisitorForm; key: string; controller: FormController; events: FormEvents; storage: FormStorage };

type Attempt = NonNullable<FormController["attempt"]>;

/** Creates the function that submits a form, runs the site's form handler, and shows the outcome. */
export function createFormSubmitter(panel: FormPanel, parts: Parts) {
  const { form, key, controller, events, storage } = parts;
  const { core, request, messages, chat } = panel;
  const { store, patch } = controller;
  const { fields } = form.formSchema;
  const errorMessage = ownFormText(form.formSchema, "errorMessage");

  const refuse = (problems: Problems) =>
    patch({ problems, phase: "editing", progress: null, refusals: store.get().refusals + 1 });

  const send = (attempt: Attempt) => sendForm(request, core.options.baseUrl, createSubmission(panel, parts, attempt));
  const newAttempt = () => {
    controller.setAttempt({ key: randomId(), conversationId: core.visitor.current?.id ?? null });
    return controller.attempt as Attempt;
  };
  const sendOnce = () =>
    send(controller.attempt ?? newAttempt()).catch((error) => {
      // Before a reload, the key was used for different data, so this is a new submission.
      if (error instanceof FoyerError && error.code === "CONFLICT") return send(newAttempt());
      throw error;
    });

  const fail = (error: unknown) => {
    events.tell({ event: "failed", reason: error instanceof FoyerError ? error.code : "FILE" });
    if (isUnreadable(error)) {
      controller.attach(error.unreadable, null);
      return refuse({ [error.unreadable]: messages.fileUnreadable });
    }
    const problems = toFieldErrors(fields, error instanceof FoyerError ? error.details : []);
    if (Object.keys(problems).length > 0) return refuse(problems);
    patch({ failure: toFailure(error, messages, Object.keys(store.get().files).length > 0) });
    refuse({});
  };

  /** Runs the site's form handler. */
  async function runSiteHandler({ submissionId, clientHandler }: SubmitResult, formData: Record<string, unknown>) {
    const { toolId, toolName } = form;
    const conversationId = controller.attempt?.conversationId ?? null;
    const facts = { submissionId, toolId, toolName, conversationId, context: core.registry.context };
    const { result, shown } = await runHandler(core.registry.formHandlers, { name: clientHandler, formData, facts });
    void reportResult(request, { submissionId, ...result });
    if (result.success) return patch({ message: shown });
    events.tell({ event: "failed", submissionId, reason: "HANDLER" });
    // The submission now has its result, so a retry is a new submission.
    controller.setAttempt(null);
    patch({ failure: { text: shown ?? errorMessage ?? messages.formFailed, until: null, canRetry: true } });
    refuse({});
  }

  const readAnswers = () => toAnswers(fields, store.get(), { locale: core.locale, yes: messages.yes, no: messages.no });
  const finish = ({ submissionId }: SubmitResult) => {
    const answers = readAnswers();
    patch({ phase: "sent", progress: null, answers });
    storage.deleteDraft(key);
    // Do not leak the previous visitor's submission.
    if (!controller.isOver) {
      storage.saveSent({ key, message: store.get().message });
      // A pinned form is not shown again after a reload, so no one would see its answers.
      if (!isPinned(key)) storage.saveAnswers({ key, answers });
    }
    chat.formSent(key);
    events.tell({ event: "submitted", submissionId });
  };

  return async function submit(): Promise<void> {
    if (store.get().phase !== "editing" || isWaiting(store.get().failure)) return;
    core.bus.emit("interaction");
    events.started();
    const problems = controller.check();
    if (Object.keys(problems).length > 0) return refuse(problems);
    patch({ phase: "sending", problems: {}, failure: null, progress: null, message: null });
    if (panel.isPreview) return patch({ phase: "sent", progress: null, answers: readAnswers() });
    try {
      await panel.onSubmit?.();
      const { result, formData } = await sendOnce();
      patch({ progress: null });
      if (result.executionMode !== "webhook") await runSiteHandler(result, formData);
      if (store.get().phase === "sending") finish(result);
    } catch (error) {
      fail(error);
    }
  };
}

/** Identifies the user who submits. The agent sees the submission in the chat only with a proof of the identity. */
function submittingUser(visitor: VisitorSession): Pick<FormSubmit, "userId" | "userHash" | "userToken"> {
  const identity = sendableIdentity(visitor);
  if (!identity) return {};
  const { userId, userHash, userToken } = identity;
  if (userToken) return { userToken };
  return userHash ? { userId, userHash } : { userId };
}

function createSubmission({ core }: FormPanel, { form, key, controller, events }: Parts, attempt: Attempt): Outgoing {
  const { values, files } = controller.store.get();
  const { impressionAt, startedAt } = events.progress();
  return {
    files,
    idempotencyKey: attempt.key,
    // The token is stored only with the conversation, not in the draft as well.
    token: core.visitor.conversations.find(({ id }) => id === attempt.conversationId)?.token,
    submission: {
      toolId: form.toolId,
      conversationId: attempt.conversationId,
      fieldsCompleted: controller.completed(),
      impressionAt,
      startedAt,
      formInstanceId: key,
      sessionId: core.visitor.sessionId,
      ...submittingUser(core.visitor),
    },
    formData: (dataUrls) => toFormData(form.formSchema.fields, values, dataUrls),
    onProgress: (progress) => controller.patch({ progress }),
  };
}

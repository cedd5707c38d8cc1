import { ownFormText } from "@foyer/contract/rules/form-texts";
import { type FormSubmit, FoyerError, type SubmitResult, type VisitorForm } from "@foyer/sdk";
import { randomId } from "../loader/random-id.ts";
import type { Visit } from "../loader/visitor-session.ts";
import type { PanelContext } from "../panel/panel-context.ts";
import { failureOf } from "./error-messages.ts";
import { toFormData } from "./field-values.ts";
import { type Problems, problemsFrom } from "./form-check.ts";
import type { Filling } from "./form-controller.ts";
import type { FormEvents } from "./form-events.ts";
import type { FormMemory } from "./form-memory.ts";
import { isWaiting } from "./form-state.ts";
import { reportUntilHeard, runHandler } from "./run-handler.ts";
import { isUnreadable, type Outgoing, sendForm } from "./send-form.ts";

type Parts = { form: VisitorForm; key: string; filling: Filling; events: FormEvents; memory: FormMemory };

type Attempt = NonNullable<Filling["attempt"]>;

/** Sends what was filled in, has the site's own code do its part, and shows what came of it. */
export function createSubmitting(panel: PanelContext, parts: Parts) {
  const { form, key, filling, events, memory } = parts;
  const { core, request, words, chat } = panel;
  const { store, patch } = filling;
  const { fields } = form.formSchema;
  const errorMessage = ownFormText(form.formSchema, "errorMessage");

  const refuse = (problems: Problems) =>
    patch({ problems, phase: "editing", progress: null, refusals: store.get().refusals + 1 });

  const send = (attempt: Attempt) => sendForm(request, core.options.baseUrl, outgoing(panel, parts, attempt));
  const newAttempt = () => {
    filling.setAttempt({ key: randomId(), conversationId: core.visit.current?.id ?? null });
    return filling.attempt as Attempt;
  };
  const sendOnce = () =>
    send(filling.attempt ?? newAttempt()).catch((error) => {
      // The key belongs to other data, sent before a reload: this is a submission of its own.
      if (error instanceof FoyerError && error.code === "CONFLICT") return send(newAttempt());
      throw error;
    });

  const fail = (error: unknown) => {
    events.tell({ event: "failed", reason: error instanceof FoyerError ? error.code : "FILE" });
    if (isUnreadable(error)) {
      filling.attach(error.unreadable, null);
      return refuse({ [error.unreadable]: words.fileUnreadable });
    }
    const problems = problemsFrom(fields, error instanceof FoyerError ? error.details : []);
    if (Object.keys(problems).length > 0) return refuse(problems);
    patch({ failure: failureOf(error, words, Object.keys(store.get().files).length > 0) });
    refuse({});
  };

  /** The site's own part of it. */
  async function handle({ submissionId, clientHandler }: SubmitResult, formData: Record<string, unknown>) {
    const { toolId, toolName } = form;
    const conversationId = filling.attempt?.conversationId ?? null;
    const facts = { submissionId, toolId, toolName, conversationId, context: core.registry.context };
    const { result, shown } = await runHandler(core.registry.formHandlers, clientHandler, formData, facts);
    void reportUntilHeard(request, { submissionId, ...result });
    if (result.success) return patch({ message: shown });
    events.tell({ event: "failed", submissionId, reason: "HANDLER" });
    // What comes next is another submission: this one has its result.
    filling.setAttempt(null);
    patch({ failure: { text: shown ?? errorMessage ?? words.formFailed, until: null, canRetry: true } });
    refuse({});
  }

  const finish = ({ submissionId }: SubmitResult) => {
    patch({ phase: "sent", progress: null, isFresh: true });
    memory.dropDraft(key);
    // Whoever comes next is not told what this one was.
    if (!filling.isOver) memory.keepSent({ key, message: store.get().message });
    chat.formSent(key);
    events.tell({ event: "submitted", submissionId });
  };

  return async function submit(): Promise<void> {
    if (store.get().phase !== "editing" || isWaiting(store.get().failure)) return;
    core.bus.emit("interaction");
    events.started();
    const problems = filling.check();
    if (Object.keys(problems).length > 0) return refuse(problems);
    if (panel.isPreview) return patch({ problems: {}, phase: "sent", isFresh: true });
    patch({ phase: "sending", problems: {}, failure: null, progress: null, message: null });
    try {
      const { result, formData } = await sendOnce();
      patch({ progress: null });
      if (result.executionMode !== "webhook") await handle(result, formData);
      if (store.get().phase === "sending") finish(result);
    } catch (error) {
      fail(error);
    }
  };
}

/** An agent that requires signed identities checks the signature before it learns what was submitted. */
function signedUser({ identity }: Visit): Pick<FormSubmit, "userId" | "userHash"> {
  return identity?.userHash ? { userId: identity.userId, userHash: identity.userHash } : {};
}

function outgoing({ core }: PanelContext, { form, key, filling, events }: Parts, attempt: Attempt): Outgoing {
  const { values, files } = filling.store.get();
  const { impressionAt, startedAt } = events.progress();
  return {
    files,
    idempotencyKey: attempt.key,
    // Kept with the conversation alone, so that it is not stored twice.
    token: core.visit.conversations.find(({ id }) => id === attempt.conversationId)?.token,
    submission: {
      toolId: form.toolId,
      conversationId: attempt.conversationId,
      fieldsCompleted: filling.completed(),
      impressionAt,
      startedAt,
      formInstanceId: key,
      sessionId: core.visit.sessionId,
      ...signedUser(core.visit),
    },
    formData: (dataUrls) => toFormData(form.formSchema.fields, values, dataUrls),
    onProgress: (progress) => filling.patch({ progress }),
  };
}

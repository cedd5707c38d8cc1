/** @jsxImportSource preact */
import { holdsFile } from "@foyer/contract/rules/field-types";
import { ownFormText } from "@foyer/contract/rules/form-texts";
import type { VisitorForm } from "@foyer/sdk";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";
import { scrollIntoConversation } from "../panel/scroll-into-conversation.ts";
import { readableName } from "../panel/slots.ts";
import { useStore } from "../store.ts";
import { FieldView } from "./field-view.tsx";
import { useFormPanel } from "./form-panel.ts";
import type { FormSession } from "./form-session.ts";
import { FormSummary } from "./form-summary.tsx";
import { onVisible } from "./on-visible.ts";
import { SubmitArea } from "./submit-area.tsx";

/** A form: its fields, and its confirmation once it has been submitted. */
export function FormCard({ session }: { session: FormSession }): JSX.Element {
  const { messages } = useFormPanel();
  const { phase } = useStore(session.store);
  const card = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const wasSent = useRef(phase === "sent");
  const { form } = session;

  useEffect(() => {
    if (!card.current) return;
    // The panel was probably opened for this form. Once the form has focus, the conversation no longer scrolls to it,
    // so scroll here. The end of a tall outline was in view before, and the form has to be read from its top.
    if (session.isNew && isIdle(card.current)) {
      title.current?.focus({ preventScroll: true });
      scrollIntoConversation(card.current, "whole");
    }
    return onVisible(card.current, session.shown);
  }, []);
  useLayoutEffect(() => {
    if (phase !== "sent" || wasSent.current) return;
    wasSent.current = true;
    // The submit button had the focus and has been removed, and the card is now shorter.
    title.current?.focus({ preventScroll: true });
    scrollIntoConversation(card.current, "nearest");
  }, [phase]);
  // A file dropped just outside the target would make the browser navigate to it.
  const onDrag = (event: DragEvent) => {
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
  };
  const isSent = phase === "sent";
  return (
    <section
      ref={card}
      class={isSent ? "card form sent" : "card form"}
      part="form"
      aria-label={formTitle(form)}
      {...(form.formSchema.fields.some(holdsFile) ? { onDragOver: onDrag, onDrop: onDrag } : {})}
    >
      <h3 ref={title} class="form-title" part="form-title" tabIndex={-1}>
        {isSent ? <Icon name="done" /> : null}
        <bdi>{isSent ? (ownFormText(form.formSchema, "successMessage") ?? messages.formSent) : formTitle(form)}</bdi>
      </h3>
      {isSent ? <FormSummary session={session} /> : <Fields session={session} />}
    </section>
  );
}

/** Whether the visitor is doing nothing else: the focus is in an empty message field or on the panel itself. */
function isIdle(card: HTMLElement) {
  const active = (card.getRootNode() as ShadowRoot).activeElement;
  if (active instanceof HTMLTextAreaElement) return active.matches(".composer *") && active.value === "";
  return active?.matches(".panel") === true;
}

function Fields({ session }: { session: FormSession }): JSX.Element {
  const { messages } = useFormPanel();
  const { phase, refusals, problems } = useStore(session.store);
  const element = useRef<HTMLFormElement>(null);
  const seen = useRef(refusals);
  const { fields } = session.form.formSchema;
  const isSending = phase === "sending";

  useLayoutEffect(() => {
    if (seen.current === refusals) return;
    seen.current = refusals;
    const next =
      element.current?.querySelector<HTMLElement>("[aria-invalid=true]") ?? findSubmitButton(element.current);
    next?.focus();
    // Scrolls to the whole field, including its error message.
    scrollIntoConversation(next?.closest(".field, .submit-area"), "nearest");
  }, [refusals, problems]);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    // Controls are disabled while the form is being submitted and would lose the focus.
    findSubmitButton(element.current)?.focus({ preventScroll: true });
    void session.submit();
  };
  return (
    <form ref={element} class="fields" noValidate onSubmit={onSubmit}>
      {fields.some(({ validation }) => validation?.required?.value) ? (
        <p class="hint">{messages.formRequired}</p>
      ) : null}
      <div class="fields" inert={isSending}>
        {fields.map((field, index) => (
          <FieldView key={field.name} field={field} id={`${session.key}-${index}`} session={session} />
        ))}
      </div>
      <SubmitArea session={session} />
    </form>
  );
}

const findSubmitButton = (form: HTMLElement | null) => form?.querySelector<HTMLElement>(".submit");

/** The tool's label, or its name. */
function formTitle({ label, toolName }: VisitorForm): string {
  return label ?? readableName(toolName);
}

/** @jsxImportSource preact */
import { holdsFile } from "@foyer/contract/rules/field-types";
import { ownFormText } from "@foyer/contract/rules/form-texts";
import type { VisitorForm } from "@foyer/sdk";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { scrollIntoConversation } from "../panel/scroll-into-conversation.ts";
import { useStore } from "../store.ts";
import { FieldView } from "./field-view.tsx";
import type { FormSession } from "./form-session.ts";
import { FormSummary } from "./form-summary.tsx";
import { whenSeen } from "./on-visible.ts";
import { SubmitArea } from "./submit-area.tsx";

/** A form: its fields, and after it was sent the confirmation. */
export function FormCard({ session }: { session: FormSession }): JSX.Element {
  const { words } = usePanel();
  const { phase } = useStore(session.store);
  const card = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const wasSent = useRef(phase === "sent");
  const { form } = session;

  useEffect(() => {
    if (!card.current) return;
    // The panel was probably opened for this form. A focused form is no longer scrolled to, so that happens here.
    if (session.isNew && isIdle(card.current)) {
      title.current?.focus({ preventScroll: true });
      scrollIntoConversation(card.current, "nearest");
    }
    return whenSeen(card.current, session.shown);
  }, []);
  useLayoutEffect(() => {
    if (phase !== "sent" || wasSent.current) return;
    wasSent.current = true;
    // The submit button, which had the focus, is gone, and the card is shorter now.
    title.current?.focus({ preventScroll: true });
    scrollIntoConversation(card.current, "nearest");
  }, [phase]);
  // Missed by a little, a dropped file would take the place of the whole page.
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
      aria-label={titleOf(form)}
      {...(form.formSchema.fields.some(holdsFile) ? { onDragOver: onDrag, onDrop: onDrag } : {})}
    >
      <h3 ref={title} class="form-title" part="form-title" tabIndex={-1}>
        {isSent ? <Icon name="done" /> : null}
        <bdi>{isSent ? (ownFormText(form.formSchema, "successMessage") ?? words.formSent) : titleOf(form)}</bdi>
      </h3>
      {isSent ? <FormSummary session={session} /> : <Fields session={session} />}
    </section>
  );
}

/** Whether the visitor does nothing else in the panel. */
function isIdle(card: HTMLElement) {
  const active = (card.getRootNode() as ShadowRoot).activeElement;
  if (active instanceof HTMLTextAreaElement) return active.matches(".composer *") && active.value === "";
  return active?.matches(".panel") === true;
}

function Fields({ session }: { session: FormSession }): JSX.Element {
  const { words } = usePanel();
  const { phase, refusals, problems } = useStore(session.store);
  const element = useRef<HTMLFormElement>(null);
  const seen = useRef(refusals);
  const { fields } = session.form.formSchema;
  const isSending = phase === "sending";

  useLayoutEffect(() => {
    if (seen.current === refusals) return;
    seen.current = refusals;
    const next = element.current?.querySelector<HTMLElement>("[aria-invalid=true]") ?? submitIn(element.current);
    next?.focus();
    // Together with its error message.
    scrollIntoConversation(next?.closest(".field, .submit-area"), "nearest");
  }, [refusals, problems]);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    // What cannot be changed meanwhile cannot keep the focus.
    submitIn(element.current)?.focus({ preventScroll: true });
    void session.submit();
  };
  return (
    <form ref={element} class="fields" noValidate onSubmit={onSubmit}>
      {fields.some(({ validation }) => validation?.required?.value) ? <p class="hint">{words.formRequired}</p> : null}
      <div class="fields" inert={isSending}>
        {fields.map((field, index) => (
          <FieldView key={field.name} field={field} id={`${session.key}-${index}`} session={session} />
        ))}
      </div>
      <SubmitArea session={session} />
    </form>
  );
}

const submitIn = (form: HTMLElement | null) => form?.querySelector<HTMLElement>(".submit");

/** The tool's label. Without one, its name in words. */
function titleOf({ label, toolName }: VisitorForm): string {
  return label ?? toolName.replaceAll("_", " ");
}

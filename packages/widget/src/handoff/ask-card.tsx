/** @jsxImportSource preact */
import { maxIdentityLength } from "@foyer/contract/rules/limits";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sendableIdentity } from "../loader/page-values.ts";
import { focusPanel } from "../panel/focus.ts";
import { isComposing } from "../panel/keys.ts";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "../store.ts";
import { describePromise } from "./availability-texts.ts";
import type { HandoffController } from "./create-handoff.ts";

/** The server's limit. */
const MAX_REASON = 500;

/**
 * The card for requesting a person. It asks for the reason and, outside office hours, for an email address for the
 * answer if the server can send one. While the visitor waits, it asks only for the address.
 */
export function AskCard({ handoff }: { handoff: HandoffController }): JSX.Element {
  const { core, chat, messages } = usePanel();
  const { texts } = handoff;
  const { card, settings, isBusy, problem } = useStore(handoff.store);
  const { entries } = useStore(chat.store);
  const [reason, setReason] = useState("");
  const [email, setEmail] = useState(sendableIdentity(core.visitor)?.userEmail ?? "");
  const [isInvalid, setIsInvalid] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isFirst = !entries.some(({ type }) => type === "user");
  const wantsEmail = card === "email" || (settings?.isOpen === false && settings.canEmail);

  useLayoutEffect(() => {
    const element = form.current;
    element?.querySelector<HTMLElement>("textarea, input")?.focus();
    return () => {
      // Move the focus, which would otherwise be lost when the card disappears.
      if (!element?.matches(":focus-within")) return handoff.cancel();
      // The message field is hidden while the card is shown.
      element.classList.remove("ask");
      focusPanel(element.closest<HTMLElement>(".panel"));
      handoff.cancel();
    };
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    const address = form.current?.querySelector<HTMLInputElement>("input");
    setIsInvalid(address?.validity.valid === false);
    if (address?.validity.valid === false) return address.focus();
    await handoff.ask({ reason: reason.trim(), email: wantsEmail ? email.trim() : "" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey && event.target instanceof HTMLTextAreaElement) {
      event.preventDefault();
      // Without a reason that is still needed, the button is disabled and the click does nothing.
      form.current?.querySelector<HTMLElement>("[type=submit]")?.click();
    }
    if (event.key !== "Escape") return;
    event.stopPropagation();
    handoff.cancel();
  };

  return (
    <form
      ref={form}
      class="handoff ask"
      part="handoff"
      aria-label={texts.talk}
      noValidate
      onSubmit={submit}
      onKeyDown={onKeyDown}
    >
      <p class="ask-title">{card === "email" ? texts.leaveEmail : texts.talk}</p>
      <p class="note">{settings && describePromise(settings, texts, core.locale)}</p>
      {card === "ask" ? (
        <label>
          {isFirst ? texts.about : texts.aboutOptional}
          <textarea
            rows={2}
            maxLength={MAX_REASON}
            dir="auto"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
      ) : null}
      {wantsEmail ? (
        <label>
          {card === "email" ? texts.email : texts.emailOptional}
          <input
            type="email"
            autocomplete="email"
            maxLength={maxIdentityLength}
            dir="ltr"
            required={card === "email"}
            value={email}
            aria-invalid={isInvalid}
            aria-describedby="foyer-handoff-hint"
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
          <span
            class={isInvalid ? "note wrong" : "note"}
            id="foyer-handoff-hint"
            role={isInvalid ? "alert" : undefined}
          >
            {isInvalid ? texts.emailInvalid : texts.emailHint}
          </span>
        </label>
      ) : null}
      {problem ? <p class="note wrong">{problem}</p> : null}
      <div class="buttons">
        {/* A disabled button would lose the focus while the request runs. */}
        <button
          type="submit"
          class="quiet main"
          aria-disabled={isBusy}
          disabled={isFirst && reason.trim() === "" && !isBusy}
        >
          {card === "email" ? texts.save : texts.talk}
        </button>
        <button type="button" class="quiet" onClick={handoff.cancel}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}

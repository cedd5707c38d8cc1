/** @jsxImportSource preact */
import { ownFormText } from "@foyer/contract/rules/form-texts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Lamp } from "../panel/face.tsx";
import { useStore } from "../store.ts";
import { useFormPanel } from "./form-panel.ts";
import type { FormSession } from "./form-session.ts";

/** The submit button of a form, its progress, and the reason if the submission failed. */
export function SubmitArea({ session }: { session: FormSession }): JSX.Element {
  const { messages } = useFormPanel();
  const { phase, progress, failure, problems } = useStore(session.store);
  const isSending = phase === "sending";
  const { formSchema } = session.form;
  const errorMessage = ownFormText(formSchema, "errorMessage");
  const seconds = useSecondsUntil(failure?.until ?? null);
  const isWrong = Object.keys(problems).length > 0;
  const submitLabel = ownFormText(formSchema, "submitLabel") ?? messages.formSubmit;
  const label = isSending ? messages.formSending : failure?.canRetry ? messages.retry : submitLabel;
  return (
    <div class="submit-area">
      {failure && !isSending ? (
        <div class="failure" part="error" role="alert">
          {errorMessage && failure.text !== errorMessage ? <p dir="auto">{errorMessage}</p> : null}
          <p dir="auto">{failure.text}</p>
        </div>
      ) : null}
      {isWrong && !isSending ? <p class="hint">{messages.formInvalid}</p> : null}
      <button type="submit" class="submit" part="submit" aria-disabled={isSending || seconds > 0 ? "true" : undefined}>
        {isSending ? <Lamp /> : null}
        <span dir="auto">{label}</span>
        {seconds > 0 && !isSending ? <span>({seconds})</span> : null}
      </button>
      {isSending && progress !== null ? (
        <progress class="progress" max="100" value={Math.round(progress * 100)} aria-label={messages.formSending} />
      ) : null}
    </div>
  );
}

/** Counts down the whole seconds until a time, then stays at 0. */
function useSecondsUntil(moment: number | null): number {
  const secondsLeft = () => (moment === null ? 0 : Math.max(0, Math.ceil((moment - Date.now()) / 1_000)));
  const [, draw] = useState(0);
  useEffect(() => {
    if (secondsLeft() === 0) return;
    const timer = setInterval(() => {
      draw((count) => count + 1);
      if (secondsLeft() === 0) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [moment]);
  return secondsLeft();
}

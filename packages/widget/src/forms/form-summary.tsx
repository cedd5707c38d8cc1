/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useStore } from "../store.ts";
import { toAnswers } from "./answers.ts";
import { useFormPanel } from "./form-panel.ts";
import type { FormSession } from "./form-session.ts";

/** The confirmation and the submitted answers. Answers are not stored, so they are gone after a reload. */
export function FormSummary({ session }: { session: FormSession }): JSX.Element {
  const { core, messages } = useFormPanel();
  const { values, files, message, isFresh } = useStore(session.store);
  const texts = { locale: core.locale, yes: messages.yes, no: messages.no };
  const answers = isFresh ? toAnswers(session.form.formSchema.fields, { values, files }, texts) : [];
  return (
    <div class="summary" part="summary">
      {message ? <p dir="auto">{message}</p> : null}
      {answers.length > 0 ? (
        <details>
          <summary>{messages.formAnswers}</summary>
          <dl>
            {answers.map(({ label, text }, index) => (
              <div key={index}>
                <dt>
                  <bdi>{label}</bdi>
                </dt>
                <dd dir="auto">{text}</dd>
              </div>
            ))}
          </dl>
        </details>
      ) : null}
    </div>
  );
}

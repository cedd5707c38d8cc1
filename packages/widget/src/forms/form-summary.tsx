/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useStore } from "../store.ts";
import { useFormPanel } from "./form-panel.ts";
import type { FormSession } from "./form-session.ts";

/** The confirmation and the submitted answers. */
export function FormSummary({ session }: { session: FormSession }): JSX.Element {
  const { messages } = useFormPanel();
  const { message, answers } = useStore(session.store);
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

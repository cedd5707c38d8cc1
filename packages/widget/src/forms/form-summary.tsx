/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "../store.ts";
import { answersOf } from "./answers.ts";
import type { FormSession } from "./form-session.ts";

/** What the site says to it, and what was sent; the latter is not kept, so after a reload it is no longer there. */
export function FormSummary({ session }: { session: FormSession }): JSX.Element {
  const { core, words } = usePanel();
  const { values, files, message, isFresh } = useStore(session.store);
  const texts = { locale: core.locale, yes: words.yes, no: words.no };
  const answers = isFresh ? answersOf(session.form.formSchema.fields, { values, files }, texts) : [];
  return (
    <div class="summary" part="summary">
      {message ? <p dir="auto">{message}</p> : null}
      {answers.length > 0 ? (
        <details>
          <summary>{words.formAnswers}</summary>
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

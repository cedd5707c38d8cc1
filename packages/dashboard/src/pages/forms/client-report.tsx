import type { FormSubmissionDetail } from "@foyer/contract";
import { Status } from "../../components/status.tsx";

/** The result that the form handler on the visitor's page reported. */
export function ClientReport({ submission, handler }: { submission: FormSubmissionDetail; handler: string | null }) {
  const { clientResult } = submission;
  const name = handler ? <code className="font-mono text-ink">{handler}</code> : "Its handler";
  if (clientResult === null) {
    return (
      <p className="text-soft">
        {name} on the visitor's page has not reported yet. If it never does, the visitor left before it finished, or the
        page has no such handler.
      </p>
    );
  }
  const { success, message, data } = clientResult;
  return (
    <div className="grid justify-items-start gap-2">
      <Status tone={success ? "fine" : "wrong"}>{success ? "Reported success" : "Reported a failure"}</Status>
      {message && <p className="whitespace-pre-wrap">{message}</p>}
      {data && (
        <details className="w-full min-w-0">
          <summary className="w-fit text-soft">Reported data</summary>
          <ResponseText label="What the page reported" text={JSON.stringify(data, null, 2)} />
        </details>
      )}
    </div>
  );
}

/** Untrusted text, shown as plain text. */
export function ResponseText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section tabIndex={0} aria-label={label} className="mt-2 max-h-72 overflow-auto rounded-lg bg-sunken px-3 py-2">
      <pre className="font-mono whitespace-pre-wrap">{text}</pre>
    </section>
  );
}

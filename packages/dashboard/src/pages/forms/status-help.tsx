import { Status } from "../../components/status.tsx";
import { statuses, statusLabels } from "./submission-labels.ts";

/** Explains the submission statuses on demand. */
export function StatusHelp() {
  return (
    <details className="min-w-0 flex-1 basis-72">
      <summary className="w-fit underline-offset-2 hover:underline">What the statuses mean</summary>
      <dl className="mt-3 grid gap-x-6 gap-y-2 rounded-lg border border-line p-4 sm:grid-cols-[max-content_minmax(0,1fr)]">
        {statuses.map((status) => {
          const { word, tone, help } = statusLabels[status];
          return (
            <div key={status} className="contents">
              <dt className="text-ink">
                <Status tone={tone}>{word}</Status>
              </dt>
              <dd className="mb-2 sm:mb-0">{help}</dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}

import type { Tool } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { pluralize } from "../../components/plural.ts";
import { toolTitle } from "../../components/tool-title.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { DeliverDialog } from "./deliver-dialog.tsx";
import type { SubmissionSearch } from "./submission-filter.ts";
import { deliveryName, undelivered } from "./submission-labels.ts";

/** The number of undelivered submissions, a button to redeliver them, and the progress of the redelivery. */
export function FailedSubmissions({
  agentId,
  search,
  forms,
}: {
  agentId: string;
  search: SubmissionSearch;
  forms: readonly Tool[];
}) {
  const [isAsking, setAsking] = useState(false);
  const [queued, setQueued] = useState<number | null>(null);
  const owned = { agentId, ...(search.toolId ? { toolId: search.toolId } : {}) };
  const wanted = undelivered.filter((status) => !search.status || search.status === status);
  const counts = useCounts(owned, queued !== null);
  const failed = wanted.reduce((sum, status) => sum + counts[status], 0);
  const retry = useEndpointMutation("retrySubmissions", { changes: ["listSubmissions"] });
  const start = () =>
    retry.mutate(
      { body: { ...owned, statuses: [...wanted] } },
      {
        onSuccess: ({ retried }) => setQueued(retried),
        onSettled: () => setAsking(false),
      },
    );

  if (queued !== null) {
    return <Progress queued={queued} failed={failed} pending={counts.pending} onClose={() => setQueued(null)} />;
  }
  if (failed === 0) return null;
  const action = `Redeliver ${failed.toLocaleString()} failed`;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-raised px-4 py-2">
      <p className="flex min-w-0 flex-1 basis-60 items-center gap-2">
        <span aria-hidden className="size-2 shrink-0 rounded-full bg-wrong" />
        {pluralize(failed, "submission")} could not be delivered.
      </p>
      <Button variant="main" onClick={() => setAsking(true)}>
        {action}
      </Button>
      <DeliverDialog
        title={`Redeliver ${pluralize(failed, "submission")}?`}
        action={action}
        isOpen={isAsking}
        isBusy={retry.isPending}
        onClose={() => setAsking(false)}
        onConfirm={start}
      >
        <p>Only failed deliveries are sent again, to the current addresses of the forms:</p>
        <Targets forms={forms.filter(({ id }) => !search.toolId || id === search.toolId)} />
        <p>A receiver may get a submission twice. Both copies have the same submissionId.</p>
      </DeliverDialog>
    </div>
  );
}

type Owned = { agentId: string; toolId?: string };

/** Counts submissions by status. Polls while deliveries are in progress. */
function useCounts(owned: Owned, isWatched: boolean) {
  const every = { refetchInterval: isWatched ? 2_000 : 10_000 };
  const limit = { limit: 1 };
  const pending = useQuery({
    ...endpointQuery("listSubmissions", { ...owned, ...limit, status: "pending" }),
    ...every,
    enabled: isWatched,
  });
  const webhook = useQuery({
    ...endpointQuery("listSubmissions", { ...owned, ...limit, status: "webhook_failed" }),
    ...every,
  });
  const parts = useQuery({ ...endpointQuery("listSubmissions", { ...owned, ...limit, status: "failed" }), ...every });
  return {
    /** `null` until it is known. */
    pending: pending.isFetchedAfterMount ? (pending.data?.pagination.total ?? null) : null,
    webhook_failed: webhook.data?.pagination.total ?? 0,
    failed: parts.data?.pagination.total ?? 0,
  };
}

function Progress(props: { queued: number; pending: number | null; failed: number; onClose: () => void }) {
  const { queued, pending, failed, onClose } = props;
  const left = Math.min(pending ?? queued, queued);
  const text =
    queued === 0
      ? "There was nothing left to redeliver."
      : left > 0
        ? `Redelivering ${pluralize(queued, "submission")}: ${left.toLocaleString()} in progress.`
        : `Finished redelivering ${pluralize(queued, "submission")}.`;
  return (
    <div className="grid gap-2 rounded-lg border border-line bg-raised px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="min-w-0 flex-1 basis-60">
          {text} {failed > 0 && `${failed.toLocaleString()} failed.`}
        </p>
        <Button variant="plain" onClick={onClose}>
          Close
        </Button>
      </div>
      {left > 0 && <progress className="sr-only" max={queued} value={queued - left} aria-label="Redelivered" />}
      {left > 0 && (
        <div aria-hidden className="h-1 overflow-hidden rounded-full bg-sunken">
          <div className="h-full bg-lamp" style={{ width: `${((queued - left) / queued) * 100}%` }} />
        </div>
      )}
    </div>
  );
}

const MAX_SHOWN = 6;

/** The current destinations of the forms. */
function Targets({ forms }: { forms: readonly Tool[] }) {
  const lines = forms.flatMap(({ id, name, formWebhookUrl, formExecutionMode, formPostActions }) => {
    const webhook = formExecutionMode === "client" ? null : formWebhookUrl;
    const actions = (formPostActions ?? []).map((action) => deliveryName({ purpose: "action", type: action.type }));
    const places = [...(webhook ? [webhook] : []), ...actions];
    return places.length > 0 ? [{ id, name, places: places.join(", ") }] : [];
  });
  return (
    <ul className="grid gap-1 rounded-lg border border-line p-3">
      {lines.slice(0, MAX_SHOWN).map(({ id, name, places }) => (
        <li key={id}>
          <span className="font-medium text-ink">{toolTitle(name)}</span> → {places}
        </li>
      ))}
      {lines.length > MAX_SHOWN && <li>and {pluralize(lines.length - MAX_SHOWN, "more form", "more forms")}</li>}
      {lines.length === 0 && <li>the addresses that applied at the time of the submission</li>}
    </ul>
  );
}

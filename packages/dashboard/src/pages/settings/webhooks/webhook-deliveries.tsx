import type { Webhook, WebhookDelivery } from "@foyer/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { pluralize } from "../../../components/plural.ts";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { Countdown } from "../../forms/countdown.tsx";
import { DeliverDialog } from "../../forms/deliver-dialog.tsx";
import { AttemptList } from "../../forms/delivery-card.tsx";
import { deliveryStatus } from "./webhook-labels.ts";

const route = getRouteApi("/shell/settings/webhooks/$webhookId");
const PAGE = 20;

const filters = [
  { value: "all", label: "All" },
  { value: "pending", label: "Pending" },
  { value: "delivered", label: "Delivered" },
  { value: "failed", label: "Failed" },
] as const;
type Filter = (typeof filters)[number]["value"];

/** The events sent to a webhook, newest first, with every attempt. */
export function WebhookDeliveries({ webhook, pollMs }: { webhook: Webhook; pollMs: number }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filters.find(({ value }) => value === search.status)?.value ?? "all";
  const [page, setPage] = useState(0);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...endpointQuery("listWebhookDeliveries", {
      id: webhook.id,
      ...(filter === "all" ? {} : { status: filter }),
      limit: PAGE,
      offset: page * PAGE,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  });
  const choose = (next: Filter) => {
    setPage(0);
    void navigate({ search: next === "all" ? {} : { status: next }, replace: true, resetScroll: false });
  };
  return (
    <Section
      title="Deliveries"
      description="What was sent to this webhook in the last 30 days, newest first."
      actions={<RetryFailed webhook={webhook} />}
    >
      <SegmentedControl label="Show deliveries" value={filter} onChange={choose} options={filters} />
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={4} label="Loading deliveries" />}
      {data?.deliveries.length === 0 && <NoDeliveries filter={filter} isPastEnd={page > 0} />}
      {data && (
        <div className={`grid gap-3 ${isPlaceholderData ? "opacity-60" : ""}`}>
          {data.deliveries.length > 0 && (
            <ul className="rounded-lg border border-line">
              {data.deliveries.map((delivery) => (
                <DeliveryItem key={delivery.id} webhook={webhook} delivery={delivery} />
              ))}
            </ul>
          )}
          <Pages page={page} total={data.pagination.total} onGo={setPage} />
        </div>
      )}
    </Section>
  );
}

function NoDeliveries({ filter, isPastEnd }: { filter: Filter; isPastEnd: boolean }) {
  const text = isPastEnd
    ? "There are no older deliveries."
    : filter === "all"
      ? "Nothing has been sent yet. Deliveries appear here within seconds."
      : `No ${filter} deliveries.`;
  return <p className="rounded-lg border border-dashed border-edge px-4 py-5 text-soft">{text}</p>;
}

function Pages({ page, total, onGo }: { page: number; total: number; onGo: (page: number) => void }) {
  if (page === 0 && total <= PAGE) return null;
  return (
    <nav aria-label="Pages of deliveries" className="flex flex-wrap items-center justify-end gap-2">
      {page > 0 && <Button onClick={() => onGo(page - 1)}>Newer</Button>}
      {(page + 1) * PAGE < total && <Button onClick={() => onGo(page + 1)}>Older</Button>}
    </nav>
  );
}

function DeliveryItem({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { id, eventId, eventType, agentId, conversationId, state, createdAt, nextAttemptAt, attempts } = delivery;
  const { word, tone } = deliveryStatus(state, attempts.at(-1)?.error ?? null);
  const retry = useEndpointMutation("retryWebhookDelivery", { changes: ["listWebhookDeliveries", "getWebhook"] });
  return (
    <li className="border-b border-line last:border-b-0">
      <details className="group @container">
        <summary className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 hover:bg-hover">
          <ChevronRight size={16} aria-hidden className="shrink-0 text-soft group-open:rotate-90" />
          <code className="min-w-0 flex-1 font-mono wrap-anywhere">{eventType}</code>
          <Status tone={tone}>{word}</Status>
          <span className="text-soft">
            <Time at={createdAt} />
          </span>
        </summary>
        <div className="grid gap-3 px-3 pt-2 pb-4 sm:ps-10">
          <p className="text-soft wrap-anywhere">
            <code className="font-mono">{eventId}</code>
            {agentId && conversationId && (
              <>
                {" · "}
                <Link
                  to="/agents/$agentId/conversations/$conversationId"
                  params={{ agentId, conversationId }}
                  className="text-ink underline underline-offset-2"
                >
                  Open the conversation
                </Link>
              </>
            )}
            {state === "pending" && nextAttemptAt && attempts.length > 0 && (
              <>
                {" · "}Next attempt <Countdown to={nextAttemptAt} />
              </>
            )}
          </p>
          {attempts.length > 0 && (
            <div className="rounded-lg border border-line *:border-t-0">
              <AttemptList name={`${eventType} ${eventId}`} attempts={attempts} />
            </div>
          )}
          <div>
            <Button
              isBusy={retry.isPending}
              disabled={!webhook.isEnabled}
              onClick={() => retry.mutate({ id: webhook.id, deliveryId: id })}
            >
              {state === "delivered" ? "Send again" : "Try again now"}
            </Button>
          </div>
        </div>
      </details>
    </li>
  );
}

/** Queues all failed deliveries again, after a confirmation. */
function RetryFailed({ webhook }: { webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false);
  const { data } = useQuery(endpointQuery("listWebhookDeliveries", { id: webhook.id, status: "failed", limit: 1 }));
  const retry = useEndpointMutation("retryWebhook", {
    changes: ["listWebhookDeliveries", "getWebhook"],
    done: ({ retried }) => `${pluralize(retried, "event")} queued again`,
  });
  const failed = data?.pagination.total ?? 0;
  if (failed === 0 || !webhook.isEnabled) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>Redeliver {failed.toLocaleString()} failed</Button>
      <DeliverDialog
        title={`Redeliver ${pluralize(failed, "failed event")}?`}
        action={`Redeliver ${failed.toLocaleString()} failed`}
        isOpen={isAsking}
        isBusy={retry.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => retry.mutate({ id: webhook.id }, { onSettled: () => setAsking(false) })}
      >
        <p>Foyer sends to {webhook.url} again. The receiver may get an event twice, with the same webhook-id.</p>
      </DeliverDialog>
    </>
  );
}

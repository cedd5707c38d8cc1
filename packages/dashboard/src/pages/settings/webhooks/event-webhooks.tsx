import type { Webhook } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Section } from "../../../components/page.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { LinkTr, Table, Td, Th } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { deliveryStatus, webhookName, webhookStatus } from "./webhook-labels.ts";

/** The webhooks that receive conversation events, with their state and last delivery. */
export function EventWebhooks() {
  const { data, error, refetch } = useQuery({ ...endpointQuery("listWebhooks"), refetchInterval: 10_000 });
  const [isCreating, setCreating] = useState(false);
  const navigate = useNavigate();
  const create = (
    <Button variant="main" onClick={() => setCreating(true)}>
      Create webhook
    </Button>
  );
  return (
    <Section
      title="Events"
      description="Send what happens in conversations to your own systems, such as a CRM or a data warehouse."
      actions={data && data.length > 0 && create}
    >
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={2} label="Loading webhooks" />}
      {data?.length === 0 && (
        <EmptyState
          title="No webhooks yet"
          action={create}
          preview={<TablePreview columns={["Webhook", "Events", "State", "Last delivery"]} />}
        >
          A webhook receives events such as a finished reply, a bad rating or a conversation that has ended, within a
          second. Failed deliveries are retried.
        </EmptyState>
      )}
      {data && data.length > 0 && <WebhookTable webhooks={data} />}
      {isCreating && (
        <WebhookDialog
          webhook={null}
          onClose={() => setCreating(false)}
          onSaved={({ id }) => navigate({ to: "/settings/webhooks/$webhookId", params: { webhookId: id } })}
        />
      )}
    </Section>
  );
}

function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <Table
      label="Webhooks for events"
      head={
        <>
          <Th>Webhook</Th>
          <Th className="hidden md:table-cell">Events</Th>
          <Th>State</Th>
          <Th className="hidden sm:table-cell">Last delivery</Th>
        </>
      }
    >
      {webhooks.map((webhook) => (
        <LinkTr key={webhook.id}>
          <Td className="max-w-72 min-w-40">
            <Link
              to="/settings/webhooks/$webhookId"
              params={{ webhookId: webhook.id }}
              className="font-medium wrap-anywhere underline-offset-2 hover:underline"
            >
              {webhookName(webhook)}
            </Link>
            <div className="truncate text-sm text-soft" title={webhook.url}>
              {webhook.url}
            </div>
            <div className="text-sm sm:hidden">
              <LastDelivery webhook={webhook} />
            </div>
          </Td>
          <Td className="hidden text-soft md:table-cell">{countEvents(webhook)}</Td>
          <Td>
            <Status tone={webhookStatus(webhook).tone}>{webhookStatus(webhook).word}</Status>
          </Td>
          <Td className="hidden sm:table-cell">
            <LastDelivery webhook={webhook} />
          </Td>
        </LinkTr>
      ))}
    </Table>
  );
}

function countEvents({ events }: Webhook): string {
  if (events.includes("*")) return "All";
  return events.length === 1 ? (events[0] ?? "") : `${events.length} kinds`;
}

function LastDelivery({ webhook: { lastDelivery } }: { webhook: Webhook }) {
  if (!lastDelivery) return <span className="text-soft">Nothing sent yet</span>;
  const { word, tone } = deliveryStatus(lastDelivery.state, lastDelivery.error);
  return (
    <Status tone={tone}>
      {word}
      {lastDelivery.state !== "delivered" && lastDelivery.error && `: ${lastDelivery.error}`}{" "}
      <span className="text-soft">
        <Time at={lastDelivery.at} />
      </span>
    </Status>
  );
}

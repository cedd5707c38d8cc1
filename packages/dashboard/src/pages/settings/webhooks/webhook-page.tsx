import type { Webhook } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { BackLink } from "../../../components/back-link.tsx";
import { Button } from "../../../components/button.tsx";
import { DeleteSection } from "../../../components/delete-section.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Page } from "../../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { endpointQuery, queryClient, useEndpointMutation } from "../../../data/queries.ts";
import { WebhookSecretDialog } from "./signing-secret-dialog.tsx";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { WebhookFacts } from "./webhook-facts.tsx";
import { webhookName } from "./webhook-labels.ts";
import { WebhookTestSection } from "./webhook-test.tsx";

const route = getRouteApi("/shell/settings/webhooks/$webhookId");
/** How often the state and the deliveries are read again, in milliseconds. */
const POLL_MS = 4_000;

/** One webhook: its settings and state, its deliveries, and a test. */
export function WebhookPage() {
  const { webhookId } = route.useParams();
  const { data, error, refetch } = useQuery({
    ...endpointQuery("getWebhook", { id: webhookId }),
    refetchInterval: POLL_MS,
  });
  if (data) return <WebhookView key={webhookId} webhook={data} />;
  return (
    <Page title="Webhook" back={<BackToList />}>
      {error ? <ErrorState error={error} onRetry={refetch} /> : <SkeletonRows />}
    </Page>
  );
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<"edit" | "secret" | "delete" | null>(null);
  const close = () => setOpen(null);
  const name = webhookName(webhook);
  return (
    <Page
      title={name}
      description={<code className="font-mono wrap-anywhere">{webhook.url}</code>}
      back={<BackToList />}
      actions={
        <>
          <Button onClick={() => setOpen("secret")}>Signing secret</Button>
          <Button onClick={() => setOpen("edit")}>Edit webhook</Button>
        </>
      }
    >
      <WebhookFacts webhook={webhook} />
      <WebhookDeliveries webhook={webhook} pollMs={POLL_MS} />
      <WebhookTestSection webhook={webhook} />
      <DeleteSection
        title="Delete webhook"
        description="Events are no longer sent to it. Its deliveries are deleted too."
        action={`Delete ${name}`}
        onDelete={() => setOpen("delete")}
      />
      {open === "edit" && <WebhookDialog webhook={webhook} onClose={close} />}
      {open === "secret" && <WebhookSecretDialog webhook={webhook} onClose={close} />}
      {open === "delete" && <DeleteDialog webhook={webhook} onClose={close} />}
    </Page>
  );
}

function BackToList() {
  return <BackLink to="/settings/webhooks">All webhooks</BackLink>;
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id } = webhook;
  const name = webhookName(webhook);
  const navigate = useNavigate();
  const remove = useEndpointMutation("deleteWebhook", { done: `${name} deleted` });
  const leave = async () => {
    await navigate({ to: "/settings/webhooks" });
    queryClient.removeQueries({ queryKey: ["getWebhook", { id }] });
    await queryClient.invalidateQueries({ queryKey: ["listWebhooks"] });
  };
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ id }, { onSuccess: leave })}
    >
      <p>Events that are still being delivered to it are dropped. You cannot restore it or its signing secret.</p>
    </ConfirmDialog>
  );
}

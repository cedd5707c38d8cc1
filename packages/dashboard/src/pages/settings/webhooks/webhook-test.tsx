import type { Webhook, WebhookTest } from "@foyer/contract";
import { sampleEvent } from "@foyer/contract/rules/sample-events";
import {
  type WebhookEventType,
  webhookEventDescriptions,
  webhookEventTypes,
} from "@foyer/contract/rules/webhook-events";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { Select } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { Status } from "../../../components/status.tsx";
import { useEndpointMutation } from "../../../data/queries.ts";
import { ResponseText } from "../../forms/client-report.tsx";
import { formatDuration } from "../../forms/submission-labels.ts";

const options = webhookEventTypes.map((value) => ({ value, label: value }));

/** Shows a sample of each kind of event, sends it on request, and shows the response. */
export function WebhookTestSection({ webhook }: { webhook: Webhook }) {
  const first = webhookEventTypes.find((type) => webhook.events.includes(type));
  const [type, setType] = useState<WebhookEventType>(first ?? "reply.finished");
  const test = useEndpointMutation("testWebhook");
  const choose = (next: WebhookEventType) => {
    test.reset();
    setType(next);
  };
  return (
    <Section
      title="Test"
      description="Sends a sample event now, even if the webhook is disabled or does not receive that kind. It is not listed above."
    >
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-60 sm:max-w-sm">
          <Select label="Event" options={options} value={type} onChange={choose} />
        </div>
        <Button isBusy={test.isPending} onClick={() => test.mutate({ id: webhook.id, body: { event: type } })}>
          Send test event
        </Button>
      </div>
      <p className="text-soft">{webhookEventDescriptions[type]}</p>
      <div role="status">{test.data && <Outcome test={test.data} />}</div>
      <CopyField label="the sample event" text={sampleText(webhook, type)} />
    </Section>
  );
}

function Outcome({ test: { isDelivered, status, error, detail, response, durationMs } }: { test: WebhookTest }) {
  return (
    <div className="grid gap-1">
      <Status tone={isDelivered ? "fine" : "wrong"}>
        {isDelivered ? `Accepted with HTTP ${status}` : error} in {formatDuration(durationMs)}
      </Status>
      {detail && <p className="text-soft">{detail}</p>}
      {response ? (
        <ResponseText label="Response to the test event" text={response} />
      ) : (
        response === "" && <p className="text-soft">The response had no body.</p>
      )}
    </div>
  );
}

function sampleText({ agentIds, payload }: Webhook, type: WebhookEventType): string {
  const event = sampleEvent(type, {
    id: "evt_01jd3v7b9hf0mtb8s6wxq2zy4c",
    organizationId: "org_01jd3v6a9hf0mtb8s6wxq2zy4c",
    agentId: agentIds[0] ?? "agent_01jd3v6b9hf0mtb8s6wxq2zy4c",
    createdAt: "2026-01-31T09:30:02.000Z",
    payload,
  });
  return JSON.stringify(event, null, 2);
}

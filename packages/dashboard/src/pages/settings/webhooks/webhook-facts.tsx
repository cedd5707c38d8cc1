import type { Webhook } from "@foyer/contract";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../../../components/button.tsx";
import { Status } from "../../../components/status.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { webhookStatus } from "./webhook-labels.ts";

/** What a webhook receives and whether it is enabled. If it is disabled, also the reason and how to enable it again. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { word, tone } = webhookStatus(webhook);
  return (
    <div className="mb-6 grid gap-4">
      {!webhook.isEnabled && <DisabledNote webhook={webhook} />}
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-[auto_minmax(0,1fr)]">
        <Fact name="State">
          <Status tone={tone}>{word}</Status>
        </Fact>
        <Fact name="Events">
          {webhook.events.includes("*") ? (
            "All, including kinds added later"
          ) : (
            <span className="font-mono wrap-anywhere">{webhook.events.join(", ")}</span>
          )}
        </Fact>
        <Fact name="Agents">
          <AgentNames ids={webhook.agentIds} />
        </Fact>
        <Fact name="Content">{webhook.payload === "full" ? "Everything" : "IDs only"}</Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-8 sm:col-span-2 sm:grid-cols-subgrid">
      <dt className="text-soft">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function AgentNames({ ids }: { ids: string[] }) {
  const { data: agents } = useSuspenseQuery(endpointQuery("listAgents"));
  if (ids.length === 0) return "All";
  return ids.map((id) => agents.find((agent) => agent.id === id)?.name ?? "a deleted agent").join(", ");
}

function DisabledNote({ webhook: { id, disabledReason } }: { webhook: Webhook }) {
  const update = useEndpointMutation("updateWebhook", {
    changes: ["getWebhook", "listWebhooks"],
    done: "Webhook enabled",
  });
  return (
    <div
      className={`flex flex-wrap items-center gap-x-6 gap-y-3 border-s-2 ps-4 ${disabledReason ? "border-wrong" : "border-edge"}`}
    >
      <div className="min-w-0 flex-1 basis-72">
        {disabledReason ? (
          <>
            <p className="font-medium">Foyer has disabled this webhook. {disabledReason}</p>
            <p className="max-w-[70ch] text-soft">
              Fix the receiver, send it a test event, then enable the webhook and redeliver what failed. Events that
              happened while it was disabled are not sent.
            </p>
          </>
        ) : (
          <>
            <p className="font-medium">This webhook is disabled.</p>
            <p className="max-w-[70ch] text-soft">Events that happen while it is disabled are not sent.</p>
          </>
        )}
      </div>
      <Button variant="main" isBusy={update.isPending} onClick={() => update.mutate({ id, body: { isEnabled: true } })}>
        Enable webhook
      </Button>
    </div>
  );
}

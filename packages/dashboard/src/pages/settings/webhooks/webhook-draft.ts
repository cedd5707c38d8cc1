import type { Webhook, WebhookChanges, WebhookCreate } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";

/** The settings of a webhook while they are edited. */
export type WebhookDraft = {
  url: string;
  description: string;
  events: WebhookCreate["events"];
  /** If false, the webhook receives only the events of the agents in `agentIds`. */
  hasAllAgents: boolean;
  agentIds: string[];
  payload: Webhook["payload"];
  idleMinutes: number | null;
  isEnabled: boolean;
};

/** @param known the organization's agents; the server refuses agents that were deleted */
export function toDraft(webhook: Webhook | null, known: ReadonlyArray<{ id: string }>): WebhookDraft {
  return {
    url: webhook?.url ?? "",
    description: webhook?.description ?? "",
    events: webhook?.events ?? ["*"],
    hasAllAgents: webhook === null || webhook.agentIds.length === 0,
    agentIds: (webhook?.agentIds ?? []).filter((agentId) => known.some(({ id }) => id === agentId)),
    payload: webhook?.payload ?? "full",
    idleMinutes: webhook?.idleMinutes ?? 30,
    isEnabled: webhook?.isEnabled ?? true,
  };
}

/** @throws an error of the field `agentIds`, because an empty list would mean all agents */
export function toBody({ hasAllAgents, agentIds, description, idleMinutes, ...same }: WebhookDraft): WebhookCreate {
  if (!hasAllAgents && agentIds.length === 0) {
    throw new FoyerError("VALIDATION_ERROR", "Choose at least one agent.", {
      status: 400,
      details: [{ path: "agentIds", message: "Choose at least one agent." }],
    });
  }
  return {
    ...same,
    description: description.trim() || null,
    agentIds: hasAllAgents ? [] : agentIds,
    // The server rejects 0 with an error of the field.
    idleMinutes: idleMinutes ?? 0,
  };
}

/** The settings that differ from the stored webhook. A webhook that stays disabled keeps its `disabledReason`. */
export function toChanges(draft: WebhookDraft, webhook: Webhook): WebhookChanges {
  const body = toBody(draft);
  const changed = Object.entries(body).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(webhook[name as keyof Webhook]),
  );
  return Object.fromEntries(changed);
}

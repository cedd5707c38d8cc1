import type { SubmissionStatus } from "@foyer/contract";

type Outcome = "pending" | "success" | "failed";

/** The outcome of each part of a submission. It is null for a part that the submission does not have. */
export type SubmissionParts = {
  webhook: Outcome | null;
  /** `pending` until the page's handler has reported a result */
  client: Outcome | null;
  actions: readonly Outcome[];
};

/** Determines the status of a submission. It depends only on the outcomes of the parts, not on their order. */
export function combineOutcomes({ webhook, client, actions }: SubmissionParts): SubmissionStatus {
  if (webhook === "pending") return "pending";
  // Members find every undelivered submission by this status, whatever else the form does.
  if (webhook === "failed") return "webhook_failed";
  if (webhook === null && client === null && actions.includes("pending")) return "pending";
  const parts = [webhook, client, ...actions].filter((part) => part !== null);
  // If a webhook or a client handler is the only part, its outcome has a status of its own, such as `webhook_failed`.
  const hasCommonStatus = parts.length > 1 || actions.length > 0;
  if (hasCommonStatus && !parts.includes("pending")) return parts.includes("failed") ? "failed" : "success";
  return getHandlerStatus("client", client) ?? getHandlerStatus("webhook", webhook) ?? "submitted";
}

function getHandlerStatus<Part extends "client" | "webhook">(part: Part, outcome: Outcome | null) {
  return outcome === "success" || outcome === "failed" ? (`${part}_${outcome}` as const) : null;
}

import type { SubmissionStatus } from "@foyer/contract";

type Outcome = "pending" | "success" | "failed";

/** Where each part of a submission stands; a part that it does not have is `null`. */
export type SubmissionParts = {
  webhook: Outcome | null;
  /** `pending` until the page's own handler has reported */
  client: Outcome | null;
  actions: readonly Outcome[];
};

/** What a submission's parts make of it, whatever the order in which they came about. */
export function submissionStatus({ webhook, client, actions }: SubmissionParts): SubmissionStatus {
  if (webhook === "pending") return "pending";
  if (webhook === null && client === null && actions.includes("pending")) return "pending";
  const parts = [webhook, client, ...actions].filter((part) => part !== null);
  // A webhook or a client's handler that is all there was has statuses of its own.
  const hasCommonStatus = parts.length > 1 || actions.length > 0;
  if (hasCommonStatus && !parts.includes("pending")) return parts.includes("failed") ? "failed" : "success";
  return known("client", client) ?? known("webhook", webhook) ?? "submitted";
}

function known<Part extends "client" | "webhook">(part: Part, outcome: Outcome | null) {
  return outcome === "success" || outcome === "failed" ? (`${part}_${outcome}` as const) : null;
}

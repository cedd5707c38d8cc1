import type { Delivery, DeliveryAttempt, FormSubmission, SubmissionStatus } from "@foyer/contract";
import { pluralize } from "../../components/plural.ts";

type Tone = "plain" | "fine" | "warning" | "wrong" | "live";
export type StatusLabel = { word: string; tone: Tone; help: string };

/** The label and explanation of each submission status. */
export const statusLabels: Record<SubmissionStatus, StatusLabel> = {
  pending: {
    word: "Sending",
    tone: "live",
    help: "It is on its way to your webhook. After a failed attempt, it waits for the next one.",
  },
  submitted: {
    word: "Received",
    tone: "plain",
    help: "Stored here. Nothing needs to be delivered, or delivery is still in progress.",
  },
  webhook_success: { word: "Delivered", tone: "fine", help: "Your webhook accepted the submission." },
  webhook_failed: {
    word: "Not delivered",
    tone: "wrong",
    help: "Your webhook did not accept the submission, and no retries are left.",
  },
  client_success: { word: "Handled by your page", tone: "fine", help: "The handler on your page reported success." },
  client_failed: { word: "Failed on your page", tone: "wrong", help: "The handler on your page reported a failure." },
  success: { word: "Complete", tone: "fine", help: "Every delivery succeeded." },
  failed: {
    word: "Incomplete",
    tone: "wrong",
    help: "At least one delivery failed. The list of deliveries shows which.",
  },
};

/** The status including failed actions, which the status itself does not cover. */
export function toStatus({ status, failingActions }: Pick<FormSubmission, "status" | "failingActions">): StatusLabel {
  const words = statusLabels[status];
  const count = failingActions.length;
  if (count === 0 || words.tone === "wrong") return words;
  const isRetried = failingActions.some(({ state }) => state === "pending");
  return {
    word: `${words.word}, ${pluralize(count, "action")} failing`,
    tone: "warning",
    help: `${words.help} ${isRetried ? "Foyer retries what failed." : "Foyer has stopped retrying."}`,
  };
}

export const statuses = Object.keys(statusLabels) as SubmissionStatus[];

export function isStatus(text: string | undefined): text is SubmissionStatus {
  return text !== undefined && Object.hasOwn(statusLabels, text);
}

/** The statuses in which a delivery may have failed permanently. */
export const undelivered = ["webhook_failed", "failed"] as const satisfies SubmissionStatus[];

/** A short summary of the deliveries, for the list, which does not load the attempts. */
export function summarizeDeliveries({
  status,
  executionMode,
  clientResult,
}: Pick<FormSubmission, "status" | "executionMode" | "clientResult">): string {
  const waitsForPage = executionMode !== "webhook" && clientResult === null;
  const pageFailed = clientResult?.success === false;
  const fromPage = clientResult?.message ? `Your page: ${clientResult.message}` : "Your page reported a failure";
  switch (status) {
    case "pending":
      return "Not delivered yet, retrying";
    case "submitted":
      return waitsForPage ? "No report from your page yet" : "Stored";
    case "webhook_success":
      return waitsForPage ? "Webhook delivered, no report from your page yet" : "Webhook delivered";
    case "webhook_failed":
      return "Webhook failed, no retries left";
    case "client_success":
      return "Handled by your page";
    case "success":
      return "Everything delivered";
    default:
      return pageFailed ? fromPage : "The webhook or an action failed";
  }
}

const actionNames: Record<string, string> = {
  webhook: "Additional webhook",
  team_chat: "Team chat message",
  slack: "Slack message",
  email: "Email",
};

export function deliveryName({ purpose, type }: Pick<Delivery, "purpose" | "type">): string {
  if (purpose === "webhook") return "Webhook";
  return purpose === "confirmation" ? "Confirmation email" : (actionNames[type] ?? type);
}

/** The state of a delivery. The time of the next attempt is shown separately. */
export function describeDelivery({ state, attempts }: Pick<Delivery, "state" | "attempts">): Omit<StatusLabel, "help"> {
  const count = attempts.length;
  if (state === "waiting") return { word: "Waiting for its turn", tone: "plain" };
  if (state === "pending") return { word: count === 0 ? "Sending" : "Retrying", tone: "live" };
  if (state === "delivered") return { word: count > 1 ? `Delivered at attempt ${count}` : "Delivered", tone: "fine" };
  return { word: `Failed after ${pluralize(count, "attempt")}`, tone: "wrong" };
}

/** The outcome of an attempt: the receiver's HTTP status, or the reason why there was no response. */
export function describeAttempt({ status, error }: Pick<DeliveryAttempt, "status" | "error">): string {
  if (error === null) return status === null ? "Accepted" : `Accepted with HTTP ${status}`;
  return status === null || error === `HTTP ${status}` ? error : `${error} (HTTP ${status})`;
}

/** Whether a delivery is still in progress, so the page should poll. */
export function isInProgress({
  status,
  deliveries,
}: Pick<FormSubmission, "status"> & { deliveries: readonly Pick<Delivery, "state">[] }): boolean {
  return status === "pending" || deliveries.some(({ state }) => state === "pending" || state === "waiting");
}

/** Formats a duration: `12 ms`, `1.4 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return formatWait(ms);
}

/** Formats a wait: `now`, `42 s`, `4 min 5 s`, `1 h 59 min`. */
export function formatWait(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds <= 0) return "now";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

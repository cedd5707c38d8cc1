import type { Delivery, DeliveryAttempt, FormSubmission, SubmissionStatus } from "@foyer/contract";

type Tone = "plain" | "fine" | "warning" | "wrong" | "live";
export type StatusWords = { word: string; tone: Tone; help: string };

/** Where a submission stands, for whoever owns the form. */
export const statusWords: Record<SubmissionStatus, StatusWords> = {
  pending: {
    word: "On its way",
    tone: "live",
    help: "It is being delivered to your webhook. What fails is tried again.",
  },
  submitted: {
    word: "Received",
    tone: "plain",
    help: "It is kept here. Nothing has to be delivered, or that is still under way.",
  },
  webhook_success: { word: "Delivered", tone: "fine", help: "Your webhook took it." },
  webhook_failed: {
    word: "Not delivered",
    tone: "wrong",
    help: "Your webhook did not take it, and no more attempts are to come.",
  },
  client_success: { word: "Taken by your page", tone: "fine", help: "The handler on your page reported success." },
  client_failed: { word: "Failed on your page", tone: "wrong", help: "The handler on your page reported a failure." },
  success: { word: "Complete", tone: "fine", help: "The webhook, your page, every action: all that it has worked." },
  failed: {
    word: "Incomplete",
    tone: "wrong",
    help: "The webhook, your page or an action failed; its deliveries show which.",
  },
};

/** The status together with failing actions, which the status itself leaves out. */
export function standingOf({ status, failingActions }: Pick<FormSubmission, "status" | "failingActions">): StatusWords {
  const words = statusWords[status];
  const count = failingActions.length;
  if (count === 0 || words.tone === "wrong") return words;
  const isRetried = failingActions.some(({ state }) => state === "pending");
  return {
    word: `${words.word}, ${plural(count, "action")} failing`,
    tone: "warning",
    help: `${words.help} ${isRetried ? "Foyer retries what failed." : "Foyer has stopped retrying."}`,
  };
}

export const statuses = Object.keys(statusWords) as SubmissionStatus[];

export function isStatus(text: string | undefined): text is SubmissionStatus {
  return text !== undefined && Object.hasOwn(statusWords, text);
}

/** The statuses in which something that Foyer sends may have failed for good. */
export const undelivered = ["webhook_failed", "failed"] as const satisfies SubmissionStatus[];

/** In a few words, what became of it: for the list, which does not know the attempts. */
export function deliveryNote({
  status,
  executionMode,
  clientResult,
}: Pick<FormSubmission, "status" | "executionMode" | "clientResult">): string {
  const waitsForPage = executionMode !== "webhook" && clientResult === null;
  const pageFailed = clientResult?.success === false;
  const fromPage = clientResult?.message ? `Your page: ${clientResult.message}` : "Your page reported a failure";
  switch (status) {
    case "pending":
      return "The webhook has not taken it yet";
    case "submitted":
      return waitsForPage ? "Your page has not reported yet" : "Kept here";
    case "webhook_success":
      return waitsForPage ? "The webhook took it, your page has not reported" : "The webhook took it";
    case "webhook_failed":
      return "The webhook did not take it, no attempts left";
    case "client_success":
      return "Your page took it";
    case "success":
      return "All parts worked";
    default:
      return pageFailed ? fromPage : "The webhook or an action failed";
  }
}

const actionNames: Record<string, string> = {
  webhook: "Further webhook",
  team_chat: "Team chat message",
  slack: "Slack message",
  email: "E-mail",
};

export function deliveryName({ purpose, type }: Pick<Delivery, "purpose" | "type">): string {
  return purpose === "webhook" ? "Webhook" : (actionNames[type] ?? type);
}

/** How a delivery went so far. What comes next has a countdown of its own. */
export function deliveryWords({ state, attempts }: Pick<Delivery, "state" | "attempts">): Omit<StatusWords, "help"> {
  const count = attempts.length;
  if (state === "waiting") return { word: "Waits for the webhook's first attempt", tone: "plain" };
  if (state === "pending") return { word: count === 0 ? "Being sent" : "Will be tried again", tone: "live" };
  if (state === "delivered") return { word: count > 1 ? `Delivered at attempt ${count}` : "Delivered", tone: "fine" };
  return { word: `Given up after ${plural(count, "attempt")}`, tone: "wrong" };
}

/** What came back: the receiver's status where there is one, else why there was none. */
export function attemptWords({ status, error }: Pick<DeliveryAttempt, "status" | "error">): string {
  if (error === null) return status === null ? "Accepted" : `Accepted with HTTP ${status}`;
  return status === null || error === `HTTP ${status}` ? error : `${error} (HTTP ${status})`;
}

/** Whether something may still happen by itself: then it is looked at again and again. */
export function isUnderWay({
  status,
  deliveries,
}: Pick<FormSubmission, "status"> & { deliveries: readonly Pick<Delivery, "state">[] }): boolean {
  return status === "pending" || deliveries.some(({ state }) => state === "pending" || state === "waiting");
}

/** `12 ms`, `1.4 s`, `2 min 5 s`. */
export function durationWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return waitWords(ms);
}

/** A wait to the second: `now`, `42 s`, `4 min 5 s`, `1 h 59 min`. */
export function waitWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds <= 0) return "now";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

import type { FormSubmissionDetail } from "@foyer/contract";
import { pluralize } from "../../components/plural.ts";
import { deliveryName } from "./submission-labels.ts";

/** `at` is in milliseconds since 1970, or `null` if it was not recorded. */
export type HistoryEvent = { text: string; at: number | null };

/** The events of a submission, oldest first. */
export function toHistory(submission: FormSubmissionDetail): HistoryEvent[] {
  const { impressionAt, startedAt, createdAt, clientResult } = submission;
  const made = Date.parse(createdAt);
  const dated: Array<HistoryEvent & { at: number }> = [
    ...(isPossible(impressionAt, made) ? [{ text: "Form shown", at: impressionAt }] : []),
    ...(isPossible(startedAt, made) ? [{ text: "Started", at: startedAt }] : []),
    { text: "Submitted", at: made },
    ...submission.deliveries.flatMap(describeOutcome),
  ];
  dated.sort((a, b) => a.at - b.at);
  const reported = clientResult && {
    text: clientResult.success ? "Your page reported success" : "Your page reported a failure",
    at: null,
  };
  return reported ? [...dated, reported] : dated;
}

/** Whether a reported time is plausible. A visitor's clock can be wrong by days, and a script can send any number. */
function isPossible(at: number | null, made: number): at is number {
  return at !== null && at >= 0 && at <= made;
}

function describeOutcome(delivery: FormSubmissionDetail["deliveries"][number]) {
  const { state, attempts } = delivery;
  const last = attempts.at(-1);
  if (!last) return [];
  const name = deliveryName(delivery);
  const at = Date.parse(last.startedAt) + last.durationMs;
  if (state === "delivered") return [{ text: `${name} delivered`, at }];
  const count = pluralize(attempts.length, "attempt");
  return [{ text: state === "failed" ? `${name} failed after ${count}` : `${name} failed, ${count} so far`, at }];
}

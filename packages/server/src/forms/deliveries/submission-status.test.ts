import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countStatus, countStatusChange } from "../analytics/form-counters.ts";
import { combineOutcomes, type SubmissionParts } from "./submission-status.ts";

const outcomes = ["pending", "success", "failed"] as const;
type Outcome = (typeof outcomes)[number];
const maybe = [null, ...outcomes];
const upToTwo: Outcome[][] = [
  [],
  ...outcomes.map((one) => [one]),
  ...outcomes.flatMap((a) => outcomes.map((b) => [a, b])),
];

/** Every combination of parts, 4 × 4 × 13. */
const combinations: SubmissionParts[] = maybe.flatMap((webhook) =>
  maybe.flatMap((client) => upToTwo.map((actions) => ({ webhook, client, actions }))),
);

/** The status of each combination without actions, written out. */
const withoutActions = {
  null: { null: "submitted", pending: "submitted", success: "client_success", failed: "client_failed" },
  pending: { null: "pending", pending: "pending", success: "pending", failed: "pending" },
  success: { null: "webhook_success", pending: "webhook_success", success: "success", failed: "failed" },
  failed: { null: "webhook_failed", pending: "webhook_failed", success: "webhook_failed", failed: "webhook_failed" },
} as const;

/** Implements the documented rules for submissions with actions, one statement per sentence. */
function expectedStatus({ webhook, client, actions }: SubmissionParts): string {
  if (actions.length === 0) return withoutActions[`${webhook}`][`${client}`];
  if (webhook === "pending") return "pending";
  if (webhook === "failed") return "webhook_failed";
  if (webhook === null && client === null && actions.includes("pending")) return "pending";
  const isAllDone = client !== "pending" && !actions.includes("pending");
  const hasFailed = client === "failed" || actions.includes("failed");
  if (isAllDone) return hasFailed ? "failed" : "success";
  if (client === "success" || client === "failed") return `client_${client}`;
  return webhook === null ? "submitted" : `webhook_${webhook}`;
}

const formatParts = ({ webhook, client, actions }: SubmissionParts) => `${webhook} · ${client} · [${actions}]`;

describe("the status of a submission", () => {
  it.each(combinations.map((parts) => [formatParts(parts), parts] as const))(
    "follows from the outcomes of webhook, client and actions: %s",
    (_, parts) => {
      expect(combineOutcomes(parts)).toBe(expectedStatus(parts));
    },
  );

  it.each([
    ["waits for the webhook's last attempt, whatever else is known", "pending", "failed", ["success"], "pending"],
    ["is the webhook's when it failed, whatever else did", "failed", "failed", ["failed"], "webhook_failed"],
    ["is the client's in between, once that is known", "success", "failed", ["pending"], "client_failed"],
    ["is the webhook's in between, as long as the client's is not", "failed", "pending", ["success"], "webhook_failed"],
    ["is submitted while there is only the client to wait for", null, "pending", ["failed"], "submitted"],
    ["is common for a single action too", null, null, ["success"], "success"],
    ["fails with one of the actions", "success", "success", ["success", "failed"], "failed"],
  ] as const)("is as documented for %s", (_, webhook, client, actions, status) => {
    expect(combineOutcomes({ webhook, client, actions })).toBe(status);
  });

  it("ends the same in any order of outcomes, and passes only through documented statuses", () => {
    const outcome = fc.constantFrom<Outcome>("success", "failed");
    const parts = fc.record({
      webhook: fc.option(outcome),
      client: fc.option(outcome),
      actions: fc.array(outcome, { maxLength: 4 }),
    });
    const orders = parts.chain((ends) => {
      const events = [...(ends.webhook ? ["webhook"] : []), ...(ends.client ? ["client"] : []), ...ends.actions.keys()];
      const order = () => fc.shuffledSubarray(events, { minLength: events.length });
      return fc.tuple(fc.constant(ends), order(), order());
    });
    fc.assert(
      fc.property(orders, ([ends, ...both]) => {
        const finals = both.map((order) => {
          const now = {
            webhook: ends.webhook && ("pending" as Outcome),
            client: ends.client && ("pending" as Outcome),
            actions: ends.actions.map(() => "pending" as Outcome),
          };
          let status = combineOutcomes(now);
          expect(status).toBe(expectedStatus(now));
          for (const event of order) {
            if (typeof event === "number") now.actions[event] = ends.actions[event] ?? "failed";
            else now[event as "webhook" | "client"] = ends[event as "webhook" | "client"];
            status = combineOutcomes(now);
            expect(status, formatParts(now)).toBe(expectedStatus(now));
          }
          return status;
        });
        expect(finals[0]).toBe(finals[1]);
        expect(finals[0]).toBe(combineOutcomes(ends));
      }),
      { numRuns: 500 },
    );
  });
});

describe("the counters of a status", () => {
  it.each([
    ["pending", 0, 0],
    ["submitted", 1, 0],
    ["webhook_success", 1, 0],
    ["client_success", 1, 0],
    ["success", 1, 0],
    ["webhook_failed", 0, 1],
    ["client_failed", 0, 1],
    ["failed", 0, 1],
  ] as const)("are as documented for %s", (status, successful, failed) => {
    expect(countStatus(status)).toEqual({ successful, failed });
    expect(countStatusChange("pending", status)).toEqual({ successful, failed });
  });

  it("change when the status changes", () => {
    expect(countStatusChange("webhook_failed", "pending")).toEqual({ successful: 0, failed: -1 });
    expect(countStatusChange("submitted", "failed")).toEqual({ successful: -1, failed: 1 });
    expect(countStatusChange("webhook_success", "success")).toEqual({ successful: 0, failed: 0 });
  });
});

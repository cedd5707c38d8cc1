import { submissionStatuses } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import * as words from "./submission-labels.ts";

const attempt = {
  number: 1,
  startedAt: "2026-01-31T10:00:00.000Z",
  durationMs: 5,
  detail: null,
  response: null,
  redirect: null,
};
const bad = { ...attempt, status: 503, error: "HTTP 503" };
const good = { ...attempt, status: 200, error: null };

it("every submission status has a distinct label", () => {
  expect(words.statuses.toSorted()).toEqual(submissionStatuses.toSorted());
  const all = words.statuses.map((status) => words.statusLabels[status]);
  expect(new Set(all.map(({ word }) => word)).size).toBe(submissionStatuses.length);
  expect(all.every(({ help }) => help.endsWith("."))).toBe(true);
  expect(["pending", "constructor", "", undefined].map(words.isStatus)).toEqual([true, false, false, false]);
});

describe("toStatus", () => {
  const failing = { type: "webhook", state: "pending", error: "HTTP 500" } as const;

  it("reports a failing action of a delivered submission", () => {
    expect(words.toStatus({ status: "webhook_success", failingActions: [failing] })).toMatchObject({
      word: "Delivered, 1 action failing",
      tone: "warning",
      help: expect.stringContaining("Foyer retries what failed."),
    });
    const given = { ...failing, state: "failed" } as const;
    const { word, help } = words.toStatus({ status: "submitted", failingActions: [given, given] });
    expect(word).toBe("Received, 2 actions failing");
    expect(help).toContain("Foyer has stopped retrying.");
  });

  it("shows only the status if no action is failing or the submission failed", () => {
    expect(words.toStatus({ status: "success", failingActions: [] })).toBe(words.statusLabels.success);
    expect(words.toStatus({ status: "failed", failingActions: [failing] })).toBe(words.statusLabels.failed);
  });
});

describe("describeDelivery", () => {
  it.each([
    ["waiting", [], "Waiting for its turn", "plain"],
    ["pending", [], "Sending", "live"],
    ["pending", [bad], "Retrying", "live"],
    ["delivered", [good], "Delivered", "fine"],
    ["delivered", [bad, good], "Delivered at attempt 2", "fine"],
    ["failed", [bad], "Failed after 1 attempt", "wrong"],
    ["failed", [bad, bad], "Failed after 2 attempts", "wrong"],
  ] as const)("describes the state %s after %j as %s", (state, attempts, word, tone) => {
    expect(words.describeDelivery({ state, attempts: [...attempts] })).toEqual({ word, tone });
  });
});

it("describeAttempt describes the outcome of an attempt", () => {
  expect(words.describeAttempt(good)).toBe("Accepted with HTTP 200");
  expect(words.describeAttempt({ status: null, error: null })).toBe("Accepted");
  expect(words.describeAttempt(bad)).toBe("HTTP 503");
  expect(words.describeAttempt({ status: null, error: "Timed out" })).toBe("Timed out");
  expect(words.describeAttempt({ status: 302, error: "Redirected" })).toBe("Redirected (HTTP 302)");
});

describe("describeDelivery", () => {
  const reported = (success: boolean, message: string | null = null) => ({ success, message, data: null });
  it.each([
    ["submitted", "client", null, "No report from your page yet"],
    ["submitted", "webhook", null, "Stored"],
    ["webhook_success", "both", null, "Webhook delivered, no report from your page yet"],
    ["webhook_success", "webhook", null, "Webhook delivered"],
    ["client_failed", "client", reported(false, "That hour is taken"), "Your page: That hour is taken"],
    ["client_failed", "client", reported(false), "Your page reported a failure"],
    ["failed", "both", reported(false, "No"), "Your page: No"],
    ["failed", "both", reported(true, "Yes"), "The webhook or an action failed"],
    ["failed", "webhook", null, "The webhook or an action failed"],
  ] as const)("summarizes deliveries of %s, %s, %j as %s", (status, executionMode, clientResult, note) => {
    expect(words.summarizeDeliveries({ status, executionMode, clientResult })).toBe(note);
  });
});

it("a submission counts as in progress while a delivery is", () => {
  const isUnderWay = (status: "pending" | "webhook_success", ...states: Array<"waiting" | "pending" | "failed">) =>
    words.isInProgress({ status, deliveries: states.map((state) => ({ state })) });
  expect(isUnderWay("pending")).toBe(true);
  expect(isUnderWay("webhook_success", "pending")).toBe(true);
  expect(isUnderWay("webhook_success", "waiting")).toBe(true);
  expect(isUnderWay("webhook_success", "failed")).toBe(false);
});

it("durations and waits are formatted in a suitable unit", () => {
  expect([0, 12.4, 999, 1_400, 59_940, 125_000].map(words.formatDuration)).toEqual([
    "0 ms",
    "12 ms",
    "999 ms",
    "1.4 s",
    "59.9 s",
    "2 min 5 s",
  ]);
  expect([-5, 0, 1, 59_000, 245_000, 7_140_000].map(words.formatWait)).toEqual([
    "now",
    "now",
    "1 s",
    "59 s",
    "4 min 5 s",
    "1 h 59 min",
  ]);
});

import type { Delivery, FormSubmissionDetail } from "@foyer/contract";
import { expect, it } from "vitest";
import { toHistory } from "./submission-history.ts";

const at = (second: number) => `2026-01-31T10:00:${String(second).padStart(2, "0")}.000Z`;
const attempt = (number: number, second: number) => ({
  number,
  startedAt: at(second),
  durationMs: 500,
  status: 200,
  error: null,
  detail: null,
  response: null,
  redirect: null,
});
const delivery = (more: Partial<Delivery>): Delivery => ({
  id: "dlv_1",
  purpose: "webhook",
  type: "webhook",
  target: "https://example.com",
  state: "delivered",
  nextAttemptAt: null,
  attempts: [attempt(1, 11)],
  ...more,
});
const submission = (more: Partial<FormSubmissionDetail>): FormSubmissionDetail => ({
  id: "sub_1",
  agentId: "agent_1",
  toolId: "tool_1",
  toolName: "test_ride",
  conversationId: null,
  status: "success",
  executionMode: "both",
  formData: {},
  identity: "anonymous",
  userId: null,
  visitor: null,
  fieldsCompleted: [],
  changedByVisitor: [],
  impressionAt: null,
  startedAt: null,
  clientResult: null,
  createdAt: at(10),
  updatedAt: at(10),
  deliveries: [],
  failingActions: [],
  ...more,
});
const texts = (more: Partial<FormSubmissionDetail>) => toHistory(submission(more)).map(({ text }) => text);

it("the history of a submission lists the events from the impression to the deliveries", () => {
  const clientResult = { success: true, message: null, data: null };
  const mail = delivery({
    purpose: "action",
    type: "email",
    state: "failed",
    attempts: [attempt(1, 12), attempt(2, 14)],
  });
  const shown = { impressionAt: Date.parse(at(1)), startedAt: Date.parse(at(4)) };
  expect(texts({ ...shown, clientResult, deliveries: [mail, delivery({})] })).toEqual([
    "Form shown",
    "Started",
    "Submitted",
    "Webhook delivered",
    "Email failed after 2 attempts",
    "Your page reported success",
  ]);
});

it("the history of a submission leaves out times from a wrong clock", () => {
  const late = { impressionAt: Date.parse(at(30)), startedAt: Date.parse(at(40)) };
  expect(texts({ ...late, deliveries: [delivery({ state: "pending", attempts: [] })] })).toEqual(["Submitted"]);
  expect(texts({ deliveries: [delivery({ state: "pending" })] }).at(-1)).toBe("Webhook failed, 1 attempt so far");
});

it("the history of a submission leaves out times that are not valid dates", () => {
  const happened = toHistory(submission({ impressionAt: -1e18, startedAt: -8.7e15 }));
  expect(happened.map(({ at }) => at !== null && new Date(at).toISOString())).toEqual([at(10)]);
});

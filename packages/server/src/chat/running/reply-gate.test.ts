import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createReplyGate, LEASE_MS } from "./reply-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openGate(isShared = true) {
  const sent: string[] = [];
  return { sent, gate: createReplyGate((event) => sent.push(event), isShared) };
}

it("a reply that was not confirmed in time holds its text back until it is", () => {
  const { gate, sent } = openGate();
  gate.publish("a");
  vi.advanceTimersByTime(LEASE_MS);
  const askedAt = performance.now();
  gate.publish("b");
  gate.publish("c");
  expect([sent, gate.isHolding]).toEqual([["a"], true]);
  gate.confirm(askedAt);
  expect([sent, gate.isHolding]).toEqual([["a", "b", "c"], false]);
});

it("a confirmation that took longer than the lease lets nothing through", () => {
  const { gate, sent } = openGate();
  const askedAt = performance.now();
  vi.advanceTimersByTime(LEASE_MS);
  gate.publish("a");
  gate.confirm(askedAt);
  expect([sent, gate.isHolding]).toEqual([[], true]);
});

it("a reply that was handed over drops what it holds back, whatever is confirmed later", () => {
  const { gate, sent } = openGate();
  vi.advanceTimersByTime(LEASE_MS);
  gate.publish("a");
  gate.close();
  gate.confirm(performance.now());
  gate.publish("b");
  expect(sent).toEqual([]);
});

it("a reply that no other process can take over needs no confirmation", () => {
  const { gate, sent } = openGate(false);
  vi.advanceTimersByTime(10 * LEASE_MS);
  gate.publish("a");
  expect(sent).toEqual(["a"]);
});

import { expect, it } from "vitest";
import { createSlowReceivers } from "./slow-receivers.ts";

const timeout = new Error("timeout");

function openReceivers() {
  let time = 0;
  const receivers = createSlowReceivers(() => time);
  const limits: number[] = [];
  const attempt = (key: string, outcome: Error | "ok") =>
    receivers
      .attempt(key, {
        timeoutMs: 30_000,
        isTimeout: (error) => error === timeout,
        run: async (timeoutMs) => {
          limits.push(timeoutMs);
          if (outcome instanceof Error) throw outcome;
        },
      })
      .catch(() => {});
  return { attempt, limits, pass: (ms: number) => (time += ms) };
}

it("gives a receiver the short time limit after three timeouts in a row, and others the full one", async () => {
  const { attempt, limits } = openReceivers();
  for (let count = 0; count < 5; count++) await attempt("slow", timeout);
  await attempt("other", timeout);
  expect(limits).toEqual([30_000, 30_000, 30_000, 5_000, 5_000, 30_000]);
});

it("gives a slow receiver the full time limit again after a minute, and after a response", async () => {
  const { attempt, limits, pass } = openReceivers();
  for (let count = 0; count < 4; count++) await attempt("slow", timeout);
  pass(60_000);
  await attempt("slow", timeout);
  await attempt("slow", "ok");
  await attempt("slow", timeout);
  expect(limits).toEqual([30_000, 30_000, 30_000, 5_000, 30_000, 5_000, 30_000]);
});

it("does not count a refused connection as a timeout", async () => {
  const { attempt, limits } = openReceivers();
  for (const outcome of [timeout, timeout, new Error("refused"), timeout, timeout]) await attempt("slow", outcome);
  expect(limits).toEqual([30_000, 30_000, 30_000, 30_000, 30_000]);
});

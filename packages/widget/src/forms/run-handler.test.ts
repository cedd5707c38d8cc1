import { FoyerError } from "@foyer/sdk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FormHandler } from "../foyer-api.ts";
import { reportResult, runHandler } from "./run-handler.ts";

const facts = { submissionId: "sub_1", toolId: "tool_1", toolName: "book", conversationId: null, context: {} };
const run = (handler: unknown, timeoutMs?: number) =>
  runHandler(new Map([["own", handler as FormHandler]]), { name: "own", formData: { name: "Ada" }, facts, timeoutMs });

beforeEach(() => {
  vi.stubGlobal("reportError", vi.fn());
  vi.stubGlobal("addEventListener", vi.fn());
  vi.stubGlobal("removeEventListener", vi.fn());
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a form handler", () => {
  it("succeeds with any message, or with none", async () => {
    const data = { booking: 42 };
    expect(await run(() => undefined)).toEqual({ result: { success: true }, shown: null });
    expect(await run(async () => ({ success: true, message: "Done.", data }))).toEqual({
      result: { success: true, message: "Done.", data },
      shown: "Done.",
    });
    expect(await run(() => ({ success: false, message: "Taken." }))).toEqual({
      result: { success: false, message: "Taken." },
      shown: "Taken.",
    });
  });

  it("fails when it throws, rejects or times out, without showing the error to the visitor", async () => {
    const failing = [
      () => {
        throw new Error("broken");
      },
      () => Promise.reject("broken"),
    ];
    for (const handler of failing) {
      expect(await run(handler)).toEqual({ result: { success: false, message: "broken" }, shown: null });
    }
    vi.useFakeTimers();
    const slow = run(() => new Promise(() => {}), 5_000);
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await slow).result).toEqual({ success: false, message: 'The form handler "own" timed out.' });
  });

  it("drops result data that cannot be serialized and truncates long messages", async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    for (const data of [circle, [1], "text", 1n]) {
      expect((await run(() => ({ success: true, data }))).result).toEqual({ success: true });
    }
    expect((await run(() => ({ success: true, message: "x".repeat(20_000) }))).result.message).toHaveLength(10_000);
    expect((await run(() => ({ success: true, message: 7 }))).result).toEqual({ success: true });
  });

  it("is named in the error when it is not registered", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { result, shown } = await runHandler(new Map(), { name: "book", formData: {}, facts });
    expect([result, shown]).toEqual([
      { success: false, message: 'No form handler named "book" is registered on this page.' },
      null,
    ]);
    expect(warn.mock.calls[0]?.[0]).toContain('Foyer.registerFormHandler("book"');
    expect((await runHandler(new Map(), { name: null, formData: {}, facts })).result.message).toBe(
      "The form book does not name a client handler.",
    );
    warn.mockRestore();
  });
});

describe("the report of a form handler's result", () => {
  const result = { submissionId: "sub_1", success: true };

  it("is retried only while the server is unreachable", async () => {
    vi.useFakeTimers();
    const answers = [new FoyerError("UNREACHABLE", ""), new FoyerError("OVERLOADED", "", { status: 503 }), null];
    const request = vi.fn(async () => {
      const error = answers.shift();
      if (error) throw error;
      return Response.json({ success: true });
    });
    const reported = reportResult(request, result, [1_000, 2_000, 4_000]);
    await vi.advanceTimersByTimeAsync(999);
    expect(request).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(60_000);
    await reported;
    expect(request).toHaveBeenCalledTimes(3);
    expect(request).toHaveBeenLastCalledWith(
      "/form-submissions/client-result",
      expect.objectContaining({ keepalive: true }),
    );
  });

  it("is not retried when the server rejects it", async () => {
    const request = vi.fn(() => Promise.reject(new FoyerError("CONFLICT", "", { status: 409 })));
    await reportResult(request, result, [0, 0]);
    expect(request).toHaveBeenCalledTimes(1);
  });
});

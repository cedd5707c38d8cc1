import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createManagementClient } from "./management-client.ts";

/** Creates a server that responds with these statuses in order, and then with 200. */
function createFakeServer(...answers: Array<{ status: number; code?: string; retryAfter?: string }>) {
  const calls: string[] = [];
  const fetch = async (url: unknown, init?: RequestInit) => {
    calls.push(`${init?.method} ${url}`);
    const answer = answers[calls.length - 1];
    if (!answer) return Response.json({ data: { id: "agent_1" }, error: null });
    const headers = answer.retryAfter ? { "retry-after": answer.retryAfter } : {};
    const body = { data: null, error: { code: answer.code ?? "RATE_LIMITED", message: "Too many requests." } };
    return Response.json(body, { status: answer.status, headers });
  };
  return { fetch, calls };
}

describe("retries of management calls", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const create = (fetch: ReturnType<typeof createFakeServer>["fetch"], maxRetries?: number) => {
    const options = maxRetries === undefined ? {} : { maxRetries };
    return createManagementClient({ baseUrl: "http://foyer.test", fetch, ...options });
  };

  it("repeat a call after 429 when the time in Retry-After has passed", async () => {
    const { fetch, calls } = createFakeServer({ status: 429, retryAfter: "7" });
    const agent = create(fetch).createAgent({ body: { name: "Harbour" } });
    await vi.advanceTimersByTimeAsync(6_999);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await agent).id).toBe("agent_1");
    expect(calls).toHaveLength(2);
  });

  it("repeat a call after 503 with increasing waits, twice by default", async () => {
    const { fetch, calls } = createFakeServer(...Array(3).fill({ status: 503, code: "OVERLOADED" }));
    const failed = create(fetch)
      .getAgent({ id: "agent_1" })
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(500 + 1_000);
    expect(await failed).toMatchObject({ status: 503, code: "OVERLOADED" });
    expect(calls).toHaveLength(3);
  });

  it.each([
    ["the server asks for more than a minute", { status: 429, retryAfter: "61" }, 2],
    ["retries are off", { status: 429, retryAfter: "1" }, 0],
    ["the model is not configured", { status: 503, code: "MODEL_NOT_CONFIGURED" }, 2],
    ["the call itself is wrong", { status: 400, code: "VALIDATION_ERROR" }, 2],
    ["the server failed while it worked", { status: 500, code: "INTERNAL" }, 2],
  ])("do not repeat a call when %s", async (_, answer, maxRetries) => {
    const { fetch, calls } = createFakeServer(answer);
    await expect(create(fetch, maxRetries).getAgent({ id: "agent_1" })).rejects.toMatchObject({
      status: answer.status,
    });
    expect(calls).toHaveLength(1);
  });

  it("stop waiting when the caller aborts", async () => {
    const { fetch, calls } = createFakeServer({ status: 429, retryAfter: "30" });
    const controller = new AbortController();
    const failed = create(fetch)
      .getAgent({ id: "agent_1" }, { signal: controller.signal })
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort(new Error("left the page"));
    expect(await failed).toMatchObject({ message: "left the page" });
    expect(calls).toHaveLength(1);
  });
});

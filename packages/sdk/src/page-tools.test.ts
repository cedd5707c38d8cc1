import type { ChatEvent } from "@foyer/contract";
import { describe, expect, it, vi } from "vitest";
import { createClient } from "./client.ts";
import { FoyerError } from "./foyer-error.ts";
import { createPageToolRunner, type PageTool } from "./page-tools.ts";
import type { Request } from "./request.ts";

const conversation = { id: "conv_1", token: "token" };
const started = (id: string): ChatEvent => ({
  type: "tool_use_start",
  index: 0,
  id,
  name: "add_to_cart",
  toolId: "tool_1",
  executionType: "client",
  input: { bike: "tern" },
});
const ended = (id: string): ChatEvent => ({
  type: "tool_result",
  index: 0,
  toolUseId: id,
  name: "add_to_cart",
  result: null,
  isError: true,
  displayConfig: null,
  display: null,
});

/**
 * Stands in for the server, which accepts one claim and one result per call. `refuse` rejects results with an error.
 */
function createFakeServer(refuse: (body: { result?: unknown }) => Error | null = () => null) {
  const claims = new Map<string, string>();
  const results: object[] = [];
  const answered = vi.fn();
  const request = (async (path: string, { body }: { body: { toolUseId: string; claimId: string } }) => {
    if (path.endsWith("tool-claims")) {
      const holder = claims.get(body.toolUseId) ?? body.claimId;
      claims.set(body.toolUseId, holder);
      if (holder === body.claimId) return new Response();
      answered();
      throw new FoyerError("CONFLICT", "Claimed", { status: 409 });
    }
    const refusal = refuse(body as { result?: unknown });
    results.push(body);
    if (refusal) throw refusal;
    answered();
    return new Response();
  }) as unknown as Request;
  return {
    request,
    claims,
    results,
    answers: (count: number) => vi.waitFor(() => expect(answered).toHaveBeenCalledTimes(count), 30_000),
  };
}

const runnerOf = (request: Request, tool: PageTool) => createPageToolRunner(request, () => tool);

describe("the tools of a page", () => {
  it("claim a call, run it and send its result", async () => {
    const { request, results, answers } = createFakeServer();
    const run = vi.fn(async () => ({ items: 2 }));
    runnerOf(request, { run }).see(started("call_1"), conversation);
    await answers(1);
    expect(run).toHaveBeenCalledExactlyOnceWith({ bike: "tern" });
    expect(results).toEqual([{ toolUseId: "call_1", result: { items: 2 } }]);
  });

  it("run a call once when two tabs, or the same tab twice, read its event", async () => {
    const { request, results, answers } = createFakeServer();
    const run = vi.fn(() => undefined);
    const tab = runnerOf(request, { run });
    tab.see(started("call_1"), conversation);
    tab.see(started("call_1"), conversation);
    runnerOf(request, { run }).see(started("call_1"), conversation);
    await answers(3);
    expect(run).toHaveBeenCalledOnce();
    expect(results).toEqual([{ toolUseId: "call_1", result: null }]);
  });

  it("run a claimed call even if the page stops reading the stream, unless the reply no longer waits", async () => {
    const { request, results, claims, answers } = createFakeServer();
    const run = vi.fn(() => "done");
    const during = (change: () => void) =>
      (async (...args: Parameters<Request>) => {
        if (args[0].endsWith("tool-claims")) change();
        return request(...args);
      }) as Request;
    const left = runnerOf(
      during(() => left.stop()),
      { run },
    );
    left.see(started("call_1"), conversation);
    await answers(1);
    expect(results).toEqual([{ toolUseId: "call_1", result: "done" }]);
    const over = runnerOf(
      during(() => over.see(ended("call_2"), conversation)),
      { run },
    );
    over.see(started("call_2"), conversation);
    await vi.waitFor(() => expect(claims.has("call_2")).toBe(true));
    runnerOf(request, { run }).see(started("call_3"), conversation);
    await answers(2);
    expect(results.map((result) => Reflect.get(result, "toolUseId"))).toEqual(["call_1", "call_3"]);
  });

  it("wait for a tool that the page adds later, while the reply waits for the call", async () => {
    const { request, results, answers } = createFakeServer();
    const tools = new Map<string, PageTool>();
    const runner = createPageToolRunner(request, (name) => tools.get(name));
    runner.see(started("call_1"), conversation);
    runner.see(started("call_2"), conversation);
    runner.see(ended("call_1"), conversation);
    runner.added("add_to_cart");
    tools.set("add_to_cart", { run: () => "done" });
    runner.added("open_page");
    runner.added("add_to_cart");
    runner.added("add_to_cart");
    await answers(1);
    expect(results).toEqual([{ toolUseId: "call_2", result: "done" }]);
  });

  it("do not claim a call whose result follows immediately, because the reply is only being read again", async () => {
    const { request, claims, answers } = createFakeServer();
    const run = vi.fn();
    const runner = runnerOf(request, { run });
    runner.see(started("call_1"), conversation);
    runner.see(ended("call_1"), conversation);
    runner.see(started("call_2"), conversation);
    await answers(1);
    expect([...claims.keys()]).toEqual(["call_2"]);
    expect(run).toHaveBeenCalledOnce();
  });

  it("ask the visitor first, send a refusal, and withdraw the question when the reply continues", async () => {
    const { request, results, claims, answers } = createFakeServer();
    const run = vi.fn();
    const asked: Array<{ signal: AbortSignal; decide: (isAllowed: boolean) => void }> = [];
    const confirm: PageTool["confirm"] = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(false));
        asked.push({ signal, decide: resolve });
      });
    const runner = runnerOf(request, { run, confirm });
    runner.see(started("call_1"), conversation);
    runner.see(started("call_2"), conversation);
    await vi.waitFor(() => expect(asked).toHaveLength(2), 30_000);
    expect(claims.size).toBe(0);
    runner.see(ended("call_2"), conversation);
    expect(asked[1]?.signal.aborted).toBe(true);
    asked[0]?.decide(false);
    await answers(1);
    expect(run).not.toHaveBeenCalled();
    expect(results).toEqual([{ toolUseId: "call_1", error: "The visitor declined." }]);
    expect([...claims.keys()]).toEqual(["call_1"]);
  });

  it("send a result that is too large for the server, and an exception of the confirmation, as an error", async () => {
    vi.stubGlobal("reportError", vi.fn());
    const { request, results, answers } = createFakeServer();
    // In UTF-8 and including the quotation marks, these have 16,384 and 16,386 bytes.
    runnerOf(request, { run: () => "ü".repeat(8_191) }).see(started("call_1"), conversation);
    runnerOf(request, { run: () => "ü".repeat(8_192) }).see(started("call_2"), conversation);
    const run = vi.fn();
    const confirm = () => Promise.reject(new Error("No dialog."));
    runnerOf(request, { run, confirm }).see(started("call_3"), conversation);
    await answers(3);
    expect(results).toContainEqual({ toolUseId: "call_1", result: "ü".repeat(8_191) });
    const error = "The result is too large: 16386 bytes of JSON, at most 16384.";
    expect(results).toContainEqual({ toolUseId: "call_2", error });
    expect(results).toContainEqual({ toolUseId: "call_3", error: "No dialog." });
    expect(run).not.toHaveBeenCalled();
    expect(globalThis.reportError).toHaveBeenCalledTimes(2);
    vi.unstubAllGlobals();
  });

  it.each(["chat", "resume"] as const)("claim a call for the session that %s names", async (name) => {
    const claims: unknown[] = [];
    const over = new AbortController();
    const fetch = async (url: unknown, { body }: RequestInit = {}) => {
      if (String(url).endsWith("/tool-claims")) {
        claims.push(JSON.parse(String(body)));
        over.abort();
        return new Response('{"error":{"code":"CONFLICT","message":"Claimed"}}', { status: 409 });
      }
      const start = { type: "message_start", conversationId: "conv_1", messageId: "msg_1", conversationToken: "token" };
      const text = [start, started("call_1")].map((event, at) => `id: msg_1:${at}\ndata: ${JSON.stringify(event)}\n\n`);
      // The reply waits for the page until the call has been claimed.
      const open = (controller: ReadableStreamDefaultController) => {
        controller.enqueue(new TextEncoder().encode(text.join("")));
        over.signal.addEventListener("abort", () => controller.error(new TypeError("network")));
      };
      return new Response(new ReadableStream({ start: open }));
    };
    const client = createClient({ baseUrl: "https://chat.example", fetch });
    const options = { tools: { add_to_cart: { run: () => 1 } }, signal: over.signal };
    const body = { agentId: "agent_1", messages: [{ role: "user" as const, content: "Hi" }], sessionId: "s-1" };
    const events = {
      chat: () => client.chat(body, options),
      resume: () => client.resume(conversation, { ...options, sessionId: "s-1" }),
    };
    await Array.fromAsync(events[name]());
    expect(claims).toEqual([{ toolUseId: "call_1", claimId: expect.any(String), sessionId: "s-1" }]);
  });

  it("send an exception of the page's code, and a result that the server refuses, as an error", async () => {
    vi.stubGlobal("reportError", vi.fn());
    const refused = new FoyerError("VALIDATION_ERROR", "result: too large", { status: 400 });
    const { request, results, answers } = createFakeServer(({ result }) => (result === "large" ? refused : null));
    const fail = () => {
      throw new Error("The cart is locked.");
    };
    runnerOf(request, { run: fail }).see(started("call_1"), conversation);
    runnerOf(request, { run: () => "large" }).see(started("call_2"), conversation);
    await answers(2);
    expect(results).toContainEqual({ toolUseId: "call_1", error: "The cart is locked." });
    expect(results.at(-1)).toEqual({
      toolUseId: "call_2",
      error: "The server rejected the page's result: result: too large",
    });
    vi.unstubAllGlobals();
  });
});

import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ToolPiece } from "../../conversations/message-pieces.ts";
import { type Progress, startCheckpoints } from "./checkpoints.ts";
import { LEASE_MS } from "./reply-gate.ts";
import { createRunningReplies } from "./running-replies.ts";
import { createRunningReply } from "./running-reply.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a running reply ends when its row was deleted, but not while its row is being created", async () => {
  const looked = vi.fn(async (ids: readonly string[]) => new Map(ids.map((id) => [id, "stop"])));
  const store = { stopRequested: looked, checkpoint: async () => new Map() } as unknown as Progress;
  const replies = createRunningReplies(store, { running: 0, runningPerIp: 0 });
  startCheckpoints(store, { log: pino({ level: "silent" }), isShared: true, tracked: replies.listKept });
  const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "t" };
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 60_000 });
  await replies.add(reply, { owner: "org_one" });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(reply.signal.aborted).toBe(false);

  replies.kept(reply, performance.now());
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looked).toHaveBeenCalledWith(["msg_1"]);
  expect(reply.signal.aborted).toBe(true);
  replies.remove(reply);
  reply.end({ stopReason: "aborted" });
});

it("a long running reply is saved only when it has grown by an eighth, or after ten seconds", async () => {
  const saved: number[] = [];
  const checkpoint = async ([state]: Array<{ content: string }>) => {
    saved.push(state?.content.length ?? 0);
    return new Map();
  };
  const store = { stopRequested: async () => new Map(), checkpoint } as unknown as Progress;
  const replies = createRunningReplies(store, { running: 0, runningPerIp: 0 });
  startCheckpoints(store, { log: pino({ level: "silent" }), isShared: false, tracked: replies.listKept });
  const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "t" };
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 60_000 });
  await replies.add(reply, { owner: "org_one" });
  replies.kept(reply, performance.now());
  const growTo = async (length: number, ms = 1_000) => {
    reply.text("x".repeat(length - (reply.pieces[0]?.type === "text" ? reply.pieces[0].text.length : 0)));
    await vi.advanceTimersByTimeAsync(ms);
  };
  await growTo(1_000);
  await growTo(1_001);
  await growTo(80_000);
  for (let length = 81_000; length < 90_000; length += 1_000) await growTo(length);
  expect(saved).toEqual([1_000, 1_001, 80_000]);
  await growTo(91_000);
  expect(saved).toEqual([1_000, 1_001, 80_000, 91_000]);
  await growTo(91_001, 12_000);
  expect(saved).toEqual([1_000, 1_001, 80_000, 91_000, 91_001]);
  replies.remove(reply);
  reply.end({ stopReason: "end_turn" });
});

it("a running reply with very many short texts ends before it holds more than 5 MiB of pieces", () => {
  const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "t" };
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: false, resumeWindow: 0 });
  const flood = () => {
    for (let index = 0; index < 1024 * 1024; index++) {
      reply.text("x");
      reply.closeText();
    }
  };
  expect(flood).toThrow("The reply has reached its limit.");
  expect(JSON.stringify(reply.pieces).length).toBeLessThan(5 * 1024 * 1024);
  reply.end({ stopReason: "max_steps" });
});

it("a running reply ends when the results of its tools reach 4 MiB, and replaces the one that does not fit", () => {
  const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "t" };
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: false, resumeWindow: 0 });
  const call = (result: string) => {
    const piece: ToolPiece = {
      type: "tool",
      id: "call",
      name: "look_up",
      toolId: null,
      executionType: "mock",
      input: {},
    };
    reply.toolUse(piece);
    reply.toolResult(piece, { result, isError: false, displayConfig: null, display: null, forModel: "" });
  };
  for (let megabytes = 0; megabytes < 3; megabytes++) call("x".repeat(1024 * 1024));
  expect(() => call("x".repeat(1024 * 1024))).toThrow("The reply has reached its limit.");
  expect(reply.pieces.map((piece) => piece.type === "tool" && piece.result?.isError)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(JSON.stringify(reply.pieces).length).toBeLessThan(4 * 1024 * 1024);
  reply.end({ stopReason: "max_steps" });
});

it("a client that resumes a reply after a takeover receives nothing of the text that was held back", () => {
  const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "t" };
  const options = { agentId: "agent_1", resumable: true, resumeWindow: 60_000, isShared: true };
  const reply = createRunningReply(start, options);
  const reader = { write: vi.fn(), end: vi.fn() };
  vi.advanceTimersByTime(LEASE_MS);
  reply.text("Held back.");
  reply.handOver();
  expect(() => reply.follow(reader, 0)).toThrow("The reply is interrupted.");
  reply.end({ stopReason: "handed_over" });
  expect(() => reply.follow(reader, 0)).toThrow("The reply is interrupted.");
  expect(reader.write).not.toHaveBeenCalled();
});

it("a stored reply whose last text could not be sent in time ends without message_stop, so that its client resumes", () => {
  const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "t" };
  const options = { agentId: "agent_1", resumable: true, resumeWindow: 60_000, isShared: true };
  const endAfter = (ms: number) => {
    const reply = createRunningReply(start, options);
    const reader = { write: vi.fn(), end: vi.fn() };
    reply.follow(reader, 0);
    vi.advanceTimersByTime(LEASE_MS);
    reply.text("Held back.");
    const askedAt = performance.now();
    vi.advanceTimersByTime(ms);
    reply.confirm(askedAt);
    reply.end({ stopReason: "end_turn" }, { isStored: true });
    expect(reader.end).toHaveBeenCalledOnce();
    const sent = reader.write.mock.calls.join("");
    return { isHeard: sent.includes("Held back."), hasEnd: sent.includes("message_stop") };
  };
  expect(endAfter(LEASE_MS - 1)).toEqual({ isHeard: true, hasEnd: true });
  expect(endAfter(LEASE_MS)).toEqual({ isHeard: false, hasEnd: false });
});

it("an organization that runs all the replies that it can leaves some to another one", async () => {
  const store = { stopRequested: async () => new Map() } as unknown as Progress;
  const limits = { running: 100, runningPerIp: 5 };
  const replies = createRunningReplies(store, limits);
  const add = async (owner: string, address: string, index: number) => {
    const start = { conversationId: `conv_${owner}_${index}`, messageId: `msg_${index}`, conversationToken: "t" };
    const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 60_000 });
    await replies.add(reply, { owner, address });
  };
  const outcomes: string[] = [];
  for (let index = 0; index < 100; index++) {
    const outcome = await add("org_greedy", `192.0.2.${index}`, index).catch(({ code }) => code);
    outcomes.push(outcome ?? "running");
  }
  expect(outcomes.filter((outcome) => outcome === "running")).toHaveLength(75);
  expect(outcomes.at(-1)).toBe("OVERLOADED");
  for (let index = 0; index < 5; index++) await add("org_honest", "198.51.100.1", index);
  await expect(add("org_honest", "198.51.100.1", 5)).rejects.toMatchObject({ code: "RATE_LIMITED", limit: 5 });
});

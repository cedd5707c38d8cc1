import { pino } from "pino";
import { afterEach, expect, it, vi } from "vitest";
import type { MessageRow } from "../../db/tables.ts";
import { LEASE_MS } from "../running/reply-gate.ts";
import { createRunningReply } from "../running/running-reply.ts";
import { toFollowable } from "./repeated-messages.ts";

afterEach(() => void vi.useRealTimers());

const start = { conversationId: "conv_1", messageId: "msg_1", conversationToken: "token" };
const stored = {
  id: "msg_1",
  conversationId: "conv_1",
  content: "Stored text.",
  pieces: null,
  stopReason: "end_turn",
  inputTokens: null,
} as unknown as MessageRow;
const log = pino({ level: "silent" });

/** Follows the answer from its beginning. @returns what the reader received */
function follow(answer: Awaited<ReturnType<typeof toFollowable>>) {
  const texts: string[] = [];
  const end = vi.fn();
  answer.follow({ write: (text: string) => texts.push(text), end } as never, 0);
  return { text: texts.join(""), hasEnded: end.mock.calls.length > 0 };
}

it("a message whose reply holds back text, because storing it took too long, is answered with the stored reply", async () => {
  vi.useFakeTimers();
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 1_000, isShared: true });
  vi.advanceTimersByTime(LEASE_MS);
  reply.text("Held text.");
  expect(() => reply.follow({ write: () => {}, end: () => {} }, 0)).toThrow("The reply is interrupted.");
  const followed = follow(await toFollowable({ latestReply: async () => stored }, reply, log));
  expect(followed.text).toContain("Stored text.");
  expect(followed.text).not.toContain("Held text.");
  expect(followed.hasEnded).toBe(true);
});

it("a message whose conversation a person takes over while it is stored is answered with the stored reply", async () => {
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 1_000 });
  reply.handOver();
  const followed = follow(await toFollowable({ latestReply: async () => stored }, reply, log));
  expect(followed).toMatchObject({ text: expect.stringContaining("Stored text."), hasEnded: true });
});

it("a reply that is not interrupted is followed while it runs", async () => {
  const reply = createRunningReply(start, { agentId: "agent_1", resumable: true, resumeWindow: 1_000 });
  const latestReply = vi.fn();
  expect(await toFollowable({ latestReply }, reply, log)).toBe(reply);
  expect(latestReply).not.toHaveBeenCalled();
});

import { pino } from "pino";
import { expect, it, vi } from "vitest";
import type { Db } from "../../db/open.ts";
import { createReceiver } from "./receive-message.ts";
import type { IncomingMessage } from "./team-chat.ts";
import type { ThreadStore } from "./thread-store.ts";

it("a reply to a post that is recorded while the reply is handled goes to the visitor", async () => {
  const sent = vi.fn(async () => {});
  /** Whether the post with the id 1 is recorded. Another transaction records it after the first lookup. */
  let isRecorded = false;
  const afterwards = <T>(result: T) => {
    isRecorded = true;
    return result;
  };
  const store = {
    isKnown: async (_: string, id: string) => id === "1" && afterwards(isRecorded),
    findThread: async () => afterwards(isRecorded ? { id: "thread_1", conversationId: "conv_1" } : undefined),
    findMember: async () => ({ id: "user_1", name: "Ada" }),
  } as unknown as ThreadStore;
  const receive = createReceiver(
    { db: {} as Db, log: pino({ enabled: false }) },
    { store, codes: {} as never, inbox: { send: sent } as never, receiveFiles: async () => [], notify: () => {} },
  );
  const reply: IncomingMessage = {
    id: "2",
    thread: null,
    replyTo: "1",
    isReplyToBot: true,
    sender: { id: "7", name: "Ada" },
    content: { kind: "text", text: "Blue ones" },
  };
  await receive({ channelId: "channel_1", organizationId: "org_1", platform: "telegram" }, reply);
  expect(sent).toHaveBeenCalledWith({ organizationId: "org_1", userId: "user_1", name: "Ada" }, "conv_1", {
    content: "Blue ones",
    attachments: { ids: [], uploaderId: "channel_1" },
    keep: expect.any(Function),
  });
});

import { expect, it, vi } from "vitest";
import { createInboxFeed, type InboxEntry, type InboxSource } from "./inbox-feed.ts";
import type { OpenStream } from "./open-streams.ts";

const createEntry = (conversationId: string, changedAt: number): InboxEntry => ({
  version: `${changedAt}`,
  changedAt,
  change: {
    conversationId,
    agentId: "agent_1",
    title: "",
    visitor: null,
    ownership: { handler: "human", epoch: 1, assignee: null, handoff: null },
    lastMessage: null,
  },
});

/** A client that collects the text it receives. */
function createClient() {
  const texts: string[] = [];
  const reader = { write: (text: string) => void texts.push(text), end: () => {} };
  const stream: OpenStream = {
    reader,
    organizationId: "org_one",
    isMember: true,
    ip: null,
    subject: "member:org_1:user_1",
    conversationId: null,
    isAllowed: null,
    expiresAt: 0,
  };
  return { stream, sent: () => texts.join("") };
}

const findEventId = (sent: string, conversationId: string) =>
  new RegExp(`id: (\\d+)\nevent: conversation\ndata: [^\n]*"${conversationId}"`).exec(sent)?.[1];

it("an inbox that is cut off while it catches up can continue from any event without missing a change", async () => {
  const entries = new Map(
    [createEntry("conv_old", 500_000), createEntry("conv_new", 900_000)].map((entry) => [
      entry.change.conversationId,
      entry,
    ]),
  );
  const isReadable = Promise.withResolvers<void>();
  const areOthersRead = Promise.withResolvers<void>();
  const source: InboxSource = {
    async entries(_, ids) {
      if (ids.includes("conv_old")) await isReadable.promise;
      return ids.flatMap((id) => entries.get(id) ?? []);
    },
    changedSince: async () => ["conv_old"],
    openConversations: async () => [],
    async counts(organizationId) {
      if (organizationId !== "org_1") await areOthersRead.promise;
      return { waiting: 0, byMember: new Map() };
    },
    totals: async () => ({ unread: 0, open: 0, snoozed: 0, resolved: 0 }),
    members: async () => [],
    activity: async () => [],
  };
  const feed = createInboxFeed(source, (error) => {
    throw error;
  });
  const client = createClient();
  // Two other inboxes are being read, so the change arrives before this inbox's backlog is read.
  for (const other of ["org_2", "org_3"]) {
    feed.follow(other, { stream: createClient().stream, userId: "user_2", lastEventId: undefined });
  }
  feed.follow("org_1", { stream: client.stream, userId: "user_1", lastEventId: "400000" });
  feed.changed("org_1", "conv_new");
  areOthersRead.resolve();
  await expect.poll(() => findEventId(client.sent(), "conv_new")).toBe("400000");
  isReadable.resolve();
  await feed.settled();
  expect(findEventId(client.sent(), "conv_old")).toBe("500000");
});

it("an inbox reads a burst of activity at once, lists 50 conversations of it, and says that there was more", async () => {
  const read: string[][] = [];
  const source: InboxSource = {
    entries: async () => [],
    changedSince: async () => [],
    openConversations: async () => [],
    counts: async () => ({ waiting: 0, byMember: new Map() }),
    totals: async () => ({ unread: 0, open: 0, snoozed: 0, resolved: 0 }),
    members: async () => [],
    async activity(_, ids) {
      read.push([...ids]);
      return ids.map((conversationId) => ({
        conversationId,
        agentId: "agent_1",
        title: "",
        visitor: null,
        isTest: false,
        handler: "agent" as const,
        messageCount: 1,
        lastMessage: null,
        createdAt: "2026-01-01T00:00:00.000Z",
      }));
    },
  };
  const feed = createInboxFeed(source, (error) => {
    throw error;
  });
  const client = createClient();
  feed.active("org_1", "conv_unseen");
  feed.follow("org_1", { stream: client.stream, userId: "user_1", lastEventId: undefined });
  await feed.settled();
  vi.useFakeTimers();
  const ids = Array.from({ length: 60 }, (_, number) => `conv_${number}`);
  for (const id of [...ids, ...ids]) feed.active("org_1", id);
  vi.runAllTimers();
  vi.useRealTimers();
  await feed.settled();
  expect(read).toEqual([ids.slice(0, 50)]);
  const data = /event: activity\ndata: (.*)\n/.exec(client.sent())?.[1] ?? "{}";
  expect(JSON.parse(data)).toMatchObject({ conversations: { length: 50 }, hasMore: true });
});

it("an inbox counts its conversations again only after something happened, and once for a burst", async () => {
  let counted = 0;
  const source: InboxSource = {
    entries: async () => [],
    changedSince: async () => [],
    openConversations: async () => [],
    counts: async () => ({ waiting: 0, byMember: new Map() }),
    totals: async () => ({ unread: 0, open: ++counted, snoozed: 0, resolved: 0 }),
    members: async () => [],
    activity: async () => [],
  };
  const feed = createInboxFeed(source, (error) => {
    throw error;
  });
  const client = createClient();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  feed.follow("org_1", { stream: client.stream, userId: "user_1", lastEventId: undefined });
  await feed.settled();
  for (let poll = 0; poll < 20; poll++) feed.refresh("org_1");
  vi.runAllTimers();
  await feed.settled();
  const idle = counted;
  for (let number = 0; number < 500; number++) feed.active("org_1", `conv_${number}`);
  for (let number = 0; number < 500; number++) feed.changed("org_1", `conv_${number}`);
  await feed.settled();
  const early = counted;
  vi.runAllTimers();
  vi.useRealTimers();
  await feed.settled();
  expect([idle, early, counted]).toEqual([1, 1, 2]);
});

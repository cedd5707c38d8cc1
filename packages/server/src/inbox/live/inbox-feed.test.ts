import { expect, it } from "vitest";
import { createInboxFeed, type InboxEntry, type InboxSource } from "./inbox-feed.ts";
import type { OpenStream } from "./open-streams.ts";

const entryOf = (conversationId: string, changedAt: number): InboxEntry => ({
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

/** A client whose received text is collected. */
function createClient() {
  const texts: string[] = [];
  const reader = { write: (text: string) => void texts.push(text), end: () => {} };
  const stream: OpenStream = {
    reader,
    ip: null,
    subject: "member:org_1:user_1",
    conversationId: null,
    isAllowed: null,
    expiresAt: 0,
  };
  return { stream, sent: () => texts.join("") };
}

const idOf = (sent: string, conversationId: string) =>
  new RegExp(`id: (\\d+)\nevent: conversation\ndata: [^\n]*"${conversationId}"`).exec(sent)?.[1];

it("an inbox that is cut off while it catches up can continue from any event without missing a change", async () => {
  const entries = new Map(
    [entryOf("conv_old", 500_000), entryOf("conv_new", 900_000)].map((entry) => [entry.change.conversationId, entry]),
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
    members: async () => [],
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
  await expect.poll(() => idOf(client.sent(), "conv_new")).toBe("400000");
  isReadable.resolve();
  await feed.settled();
  expect(idOf(client.sent(), "conv_old")).toBe("500000");
});

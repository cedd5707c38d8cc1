import { toAuthor, toPerson } from "../../conversations/ownership.ts";
import { type ConversationService, toPreview } from "../../conversations/service.ts";
import type { ConversationSource } from "./conversation-feed.ts";
import type { InboxEntry, InboxSource } from "./inbox-feed.ts";
import { formatVersion, type LiveStore } from "./live-store.ts";
import type { Presence } from "./presence.ts";

/** The data for the streams of conversations. */
export function createConversationSource(
  store: LiveStore,
  conversations: ConversationService,
  received: ConversationSource["received"],
): ConversationSource {
  return {
    async state(organizationId, conversationId) {
      const row = await store.conversation(organizationId, conversationId);
      return row && { ...row, version: formatVersion(row), lastPosition: Number(row.lastPosition) };
    },
    ownership: async (state, isMember) => (await conversations.ownershipsOf([state], isMember))(state),
    messagesAfter: conversations.messagesAfter,
    received,
  };
}

/** The data for the streams of inboxes. */
export function createInboxSource(
  store: LiveStore,
  { conversations, presence }: { conversations: ConversationService; presence: Presence },
): InboxSource {
  return {
    async entries(organizationId, ids) {
      const rows = await store.entries(organizationId, ids);
      const ownershipOf = await conversations.ownershipsOf(rows, true);
      return rows.map(
        (row): InboxEntry => ({
          version: formatVersion(row),
          changedAt: row.changedAt,
          change: {
            conversationId: row.id,
            agentId: row.agentId,
            title: row.title,
            visitor: row.userName ?? row.userEmail,
            ownership: ownershipOf(row),
            lastMessage: createLastMessage(row),
          },
        }),
      );
    },
    async activity(organizationId, ids) {
      const rows = await store.activity(organizationId, ids);
      return rows.map((row) => ({
        conversationId: row.id,
        agentId: row.agentId,
        title: row.title,
        visitor: row.userName ?? row.userEmail,
        isTest: row.isTest === 1,
        handler: row.handler,
        messageCount: row.messageCount,
        lastMessage: toPreview(row),
        createdAt: new Date(row.createdAt).toISOString(),
      }));
    },
    changedSince: store.changedSince,
    openConversations: store.openConversations,
    async counts(organizationId) {
      const rows = await store.counts(organizationId);
      const waiting = rows.reduce((sum, { handler, count }) => sum + (handler === "waiting" ? Number(count) : 0), 0);
      const mine = rows.flatMap(({ assigneeId, count }) =>
        assigneeId === null ? [] : [[assigneeId, Number(count)] as const],
      );
      return { waiting, byMember: new Map(mine) };
    },
    totals: store.totals,
    async members(organizationId) {
      const members = await store.members(organizationId);
      return members.map((user) => ({
        ...toPerson(user, true),
        isPresent: user.isAway === 0 && presence.isPresent(organizationId, user.id),
        isAway: user.isAway === 1,
      }));
    },
  };
}

type EntryRow = Awaited<ReturnType<LiveStore["entries"]>>[number];

function createLastMessage(row: EntryRow): InboxEntry["change"]["lastMessage"] {
  const { messageId: id, role, authorId, authorName, sentAt } = row;
  if (id === null || role === null || sentAt === null) return null;
  const { kind } = toAuthor({ role, authorId, authorName }, true);
  return { id, author: kind, text: row.lastMessagePreview ?? "", at: new Date(sentAt).toISOString() };
}

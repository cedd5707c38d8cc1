import type { ChatPlatformName } from "@foyer/contract/rules/chat-platforms";
import type { Flag, Instant } from "./column-types.ts";

/** The tables of bots in team chats, see inbox/team-chats/. */
export type TeamChatTables = {
  teamChats: TeamChatRow;
  teamChatThreads: TeamChatThreadRow;
  teamChatPosts: TeamChatPostRow;
  teamChatMessages: TeamChatMessageRow;
  teamChatMembers: TeamChatMemberRow;
  teamChatCodes: TeamChatCodeRow;
};

/** The bot of a notice channel. A process leases it while it receives the bot's messages. */
export type TeamChatRow = {
  channelId: string;
  organizationId: string;
  platform: ChatPlatformName;
  /** the Telegram chat or Slack channel, the only one that the bot listens to */
  chatId: string;
  /** the tokens as JSON, encrypted with the channel's id */
  credentials: string;
  /** a keyed hash of the token, because two channels cannot share a bot */
  tokenHash: string;
  /** the name that the platform last reported, or null */
  botName: string | null;
  chatTitle: string | null;
  hasTopics: Flag;
  /** where to continue receiving */
  cursor: string | null;
  state: "connecting" | "connected" | "failed";
  /** why it is not connected, for members */
  problem: string | null;
  /** failed connections since the last successful one */
  failures: number;
  /** number of the lease */
  fence: number;
  /** when it may be claimed, by the database's clock; null while the channel is disabled */
  dueAt: Instant | null;
};

/** A conversation in a team chat. */
export type TeamChatThreadRow = {
  id: string;
  channelId: string;
  conversationId: string;
  /** the platform's thread; null before the first post */
  thread: string | null;
  /** the number of the newest post */
  lastPost: number;
};

/** A post to send. It is deleted once it has been sent, and only then is the thread's next post sent. */
export type TeamChatPostRow = {
  id: string;
  channelId: string;
  /** null for an answer to a message that belongs to no conversation */
  threadId: string | null;
  /** 1, 2, 3, … within the thread */
  number: number;
  kind: "request" | "message" | "target" | "text";
  /** the handoff of a request or of its target, or the message; its text is read when the post is sent */
  subjectId: string | null;
  /** a text written by the server, without anything from the visitor; for `target`, which target it is */
  text: string | null;
  /** the platform's message that this post answers, and its thread */
  replyTo: string | null;
  place: string | null;
  /** how many parts of a long text have been sent */
  sentParts: number;
  /** when a call with an unknown outcome began */
  startedAt: Instant | null;
  state: "pending" | "failed";
  createdAt: Instant;
};

/** A message on the platform. It is used to find the conversation of a reply and to recognize repetitions. */
type TeamChatMessageRow = {
  channelId: string;
  /** the platform's id */
  messageId: string;
  /** null for a message that belongs to no conversation */
  threadId: string | null;
  /** the message that the visitor received */
  sentMessageId: string | null;
  createdAt: Instant;
};

/** A person in the team chat who is a member of the organization. */
type TeamChatMemberRow = {
  channelId: string;
  senderId: string;
  userId: string;
  /** the name in the team chat */
  senderName: string;
  linkedAt: Instant;
};

/** A one-time code that links a person in the team chat to a member. */
type TeamChatCodeRow = {
  /** a keyed hash */
  codeHash: string;
  channelId: string;
  userId: string;
  expiresAt: Instant;
};

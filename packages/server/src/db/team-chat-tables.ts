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
  platform: "telegram" | "slack";
  /** the Telegram chat or Slack channel, the only one that the bot listens to */
  chatId: string;
  /** the tokens as JSON, encrypted with the channel's id */
  credentials: string;
  /** a keyed hash of the token, because two channels cannot share a bot */
  tokenHash: string;
  /** what the platform said last, or null */
  botName: string | null;
  chatTitle: string | null;
  hasTopics: Flag;
  /** where receiving continues */
  cursor: string | null;
  state: "connecting" | "connected" | "failed";
  /** why it is not connected, for members */
  problem: string | null;
  /** failed connections since the last one that worked */
  failures: number;
  /** counts the leases */
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

/** Something to post. It is deleted once it was posted, and the next post of the thread is sent only then. */
export type TeamChatPostRow = {
  id: string;
  channelId: string;
  /** null for an answer to a message that belongs to no conversation */
  threadId: string | null;
  /** 1, 2, 3, … within the thread */
  number: number;
  kind: "request" | "message" | "text";
  /** the handoff of a request, or the message; its text is read when it is sent */
  subjectId: string | null;
  /** a text of the server's own, with nothing of the visitor */
  text: string | null;
  /** the platform's message that it answers, and its thread */
  replyTo: string | null;
  place: string | null;
  /** the parts of a long text that were posted */
  sentParts: number;
  /** when a call began whose outcome is not known */
  startedAt: Instant | null;
  state: "pending" | "failed";
  createdAt: Instant;
};

/** A message of the platform, by which replies are found and repetitions recognized. */
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

/** Someone in the team chat who is a member. */
type TeamChatMemberRow = {
  channelId: string;
  senderId: string;
  userId: string;
  /** the name in the team chat */
  senderName: string;
  linkedAt: Instant;
};

/** A one-time code with which a member proves to be someone in the team chat. */
type TeamChatCodeRow = {
  /** a keyed hash */
  codeHash: string;
  channelId: string;
  userId: string;
  expiresAt: Instant;
};

/** Someone in the team chat, as the platform identifies them. */
export type Sender = { id: string; name: string };

/** A picture or file in the team chat. `read` downloads it, and rejects with a TeamChatError. */
export type IncomingFile = { name: string; read(signal: AbortSignal): Promise<Buffer> };

/**
 * The content of a message in the team chat. `text` is sent to the visitor. `unsupported` cannot be sent, and `reason`
 * explains why to its sender.
 */
export type IncomingContent =
  | { kind: "text"; text: string; files?: readonly IncomingFile[] }
  | { kind: "command"; name: string; argument: string }
  | { kind: "unsupported"; reason: string };

/** A message that a person wrote in the configured chat. */
export type IncomingMessage = {
  /** The same for every redelivery of the message, and unique within the chat. Replies refer to this id. */
  id: string;
  /** the thread in which it was written, as `post` returned it */
  thread: string | null;
  /** the message that it replies to */
  replyTo: string | null;
  /** Whether this message replies to a message of the bot, or is in a thread that the bot started. */
  isReplyToBot: boolean;
  /** null for an anonymous sender */
  sender: Sender | null;
  content: IncomingContent;
};

/** The platform's information about the bot and its chat. */
export type ChatInfo = {
  botName: string;
  chatTitle: string;
  /** Whether a thread must be created before its first message, like the topics of a Telegram forum. */
  hasTopics: boolean;
};

export type NewPost = {
  text: string;
  /** null starts a thread */
  thread: string | null;
  /** the message that it answers */
  replyTo?: string;
};

/** A picture or file to post. Pictures are shown in the chat if the platform can. */
export type NewFile = {
  name: string;
  type: string;
  content: Buffer;
  width: number | null;
  height: number | null;
  thread: string | null;
};

export type Posted = { messageId: string; thread: string };

export type Follower = {
  /** the cursor at which an earlier call of `follow` stopped, or null */
  cursor: string | null;
  /** Called whenever the platform has accepted the connection. */
  onConnected(): Promise<void>;
  /**
   * Called for each message in order. Once the returned promise resolves, the platform may discard the message.
   * Otherwise, it sends the message again.
   */
  onMessage(message: IncomingMessage): Promise<void>;
  /** Called after the messages before this cursor have been handled. */
  onCursor(cursor: string): Promise<void>;
};

/**
 * A bot in one team chat. Every method throws a TeamChatError when the platform rejects a call or cannot be reached,
 * and the signal's reason after an abort.
 */
export type TeamChat = {
  /** The longest text of one post, in UTF-16 code units. */
  maxText: number;
  /** Checks the credentials, and that the bot can use the chat. */
  check(signal: AbortSignal): Promise<ChatInfo>;
  /** Creates a topic. Only for chats with `hasTopics`. @returns the thread */
  createTopic(title: string, signal: AbortSignal): Promise<string>;
  /** Changes text written by a visitor, so that nothing in it mentions members of the chat or runs a command. */
  quote(text: string): string;
  /** Posts plain text. */
  post(post: NewPost, signal: AbortSignal): Promise<Posted>;
  postFile(file: NewFile, signal: AbortSignal): Promise<Posted>;
  /** Receives the chat's messages. Never resolves: it rejects with an error or the abort. */
  follow(follower: Follower, signal: AbortSignal): Promise<never>;
};

/**
 * - `credentials`: the platform does not accept a token.
 * - `chat`: the chat does not exist for the bot, or a permission is missing.
 * - `conflict`: another program receives the bot's messages.
 * - `busy`: too many requests; wait `retryAfterMs` before the next one.
 * - `no_topic`: the topic was deleted.
 * - `moved`: the chat has the new id `chatId`.
 * - `rejected`: this request will never be accepted.
 * - `unavailable`: there was no usable response. The request may have been carried out.
 */
export type TeamChatProblem =
  | "credentials"
  | "chat"
  | "conflict"
  | "busy"
  | "no_topic"
  | "moved"
  | "rejected"
  | "unavailable";

/** A failed call. The message is for the members who set up the channel, and never contains a token. */
export class TeamChatError extends Error {
  readonly problem: TeamChatProblem;
  readonly retryAfterMs: number;
  /** the chat's new id, for `moved` */
  readonly chatId: string | undefined;
  /** the HTTP status, if there was a response */
  readonly status: number | null;
  /** Whether it is certain that the request was not carried out. */
  readonly isRefused: boolean;

  constructor(
    problem: TeamChatProblem,
    message: string,
    extra: { retryAfterMs?: number; chatId?: string; status?: number; isRefused?: boolean } = {},
  ) {
    super(message);
    this.problem = problem;
    this.retryAfterMs = extra.retryAfterMs ?? 0;
    this.chatId = extra.chatId;
    this.status = extra.status ?? null;
    this.isRefused = extra.isRefused ?? problem !== "unavailable";
  }
}

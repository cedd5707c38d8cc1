import type { ConversationLiveEvent, Handler, Message, Ownership, Person } from "@foyer/contract";
import type { OpenStream } from "./open-streams.ts";
import { createReadQueue } from "./read-queue.ts";

/** The number of newest messages that a client without `Last-Event-ID` receives. */
const NEWEST_MESSAGES = 50;
const CONCURRENT_READS = 4;
/**
 * The maximum time between a member's message and the end of the stream, in milliseconds. The client then reconnects
 * with the id of the last event, which proves that it has received the message. A message can be lost when it is
 * written to a connection that only looks alive. Shorter than the time after which an unseen answer is sent by email.
 */
const CONFIRMED_WITHIN_MS = 45_000;

export type ConversationState = {
  id: string;
  handler: Handler;
  epoch: number;
  assigneeId: string | null;
  /** changes whenever anything that the streams show changes, except when a reply ends */
  version: string;
  /** -1 when there are no messages */
  lastPosition: number;
};
export type LiveMessage = {
  position: number;
  isRunning: boolean;
  isFromMember: boolean;
  /** written by a client in the agent's name */
  isSupplied: boolean;
  render(options: { isMember: boolean }): Message;
};

export type ConversationSource = {
  /** @returns undefined when the conversation was deleted */
  state(organizationId: string, conversationId: string): Promise<ConversationState | undefined>;
  /** The ownership as members or as visitors see it. */
  ownership(state: ConversationState, isMember: boolean): Promise<Ownership>;
  /** In pages, oldest first. */
  messagesAfter(conversationId: string, position: number): AsyncIterable<LiveMessage[]>;
  /**
   * Called when a visitor's client has reconnected with an event id, which proves that it received the messages up to
   * this position.
   */
  received(conversationId: string, position: number): Promise<void>;
};

type Follower = {
  stream: OpenStream;
  isMember: boolean;
  /** the position of the last message that was sent; null before the first read without `Last-Event-ID` */
  position: number | null;
  /** the position in the client's `Last-Event-ID`, until it is reported as received */
  received: number | null;
  /** the last sent ownership, as JSON */
  ownership: string | null;
};

type Ownerships = ReadonlyMap<boolean, Ownership>;

export type ConversationTopic = {
  organizationId: string;
  conversationId: string;
  followers: Set<Follower>;
  state: ConversationState | null;
  /**
   * True while a reply of the agent is running. The reply is sent once it has ended, which does not change `version`.
   */
  awaitsReply: boolean;
};

export type ConversationFeed = ReturnType<typeof createConversationFeed>;

/** Manages the streams of conversations in this process. Each conversation is read once for all of its clients. */
export function createConversationFeed(source: ConversationSource, onError: (error: unknown) => void) {
  const topics = new Map<string, ConversationTopic>();
  const failed = new Set<ConversationTopic>();
  const queue = createReadQueue<ConversationTopic>(CONCURRENT_READS, read, (topic, error) => {
    failed.add(topic);
    onError(error);
  });

  async function read(topic: ConversationTopic): Promise<void> {
    const followers = [...topic.followers];
    if (followers.length === 0) return;
    const state = await source.state(topic.organizationId, topic.conversationId);
    if (!state) {
      for (const { stream } of followers) stream.reader.end();
      return;
    }
    await reportReceived(source, state, followers);
    const shown = await readOwnerships(source, followers, state);
    topic.state = state;
    const isOver = state.handler === "agent";
    for (const follower of followers) {
      // A client without a position has just read the conversation, and the agent's replies have their own stream.
      follower.position ??= isOver ? state.lastPosition : Math.max(-1, state.lastPosition - NEWEST_MESSAGES);
      if (!isOver) sendOwnership(follower, shown);
    }
    await sendMessages(topic, followers, state);
    if (!isOver) return;
    for (const follower of followers) {
      sendOwnership(follower, shown);
      follower.stream.reader.end();
    }
  }

  async function sendMessages(topic: ConversationTopic, followers: readonly Follower[], state: ConversationState) {
    topic.awaitsReply = false;
    const first = Math.min(...followers.map(({ position }) => position ?? -1));
    if (first >= state.lastPosition) return;
    for await (const page of source.messagesAfter(topic.conversationId, first)) {
      for (const message of page) {
        if (message.isRunning) {
          topic.awaitsReply = true;
          return;
        }
        // Visitors read such messages only with the conversation, whose request tells who reads it.
        const readers = message.isSupplied ? followers.filter(({ isMember }) => isMember) : followers;
        sendMessage(message, readers, state.epoch);
      }
    }
  }

  return {
    /** Follows a conversation after the event with this id. @returns a function that stops */
    follow(
      { organizationId, conversationId }: { organizationId: string; conversationId: string },
      client: { stream: OpenStream; isMember: boolean; isVisible: boolean; lastEventId: string | undefined },
    ): () => void {
      const topic = topics.get(conversationId) ?? {
        organizationId,
        conversationId,
        followers: new Set<Follower>(),
        state: null,
        awaitsReply: false,
      };
      topics.set(conversationId, topic);
      const { stream, isMember, isVisible, lastEventId } = client;
      const position = parsePosition(lastEventId);
      const follower = { stream, isMember, position, received: isVisible ? position : null, ownership: null };
      topic.followers.add(follower);
      queue.mark(topic);
      return () => {
        topic.followers.delete(follower);
        if (topic.followers.size === 0 && topics.get(conversationId) === topic) topics.delete(conversationId);
      };
    },
    topics: (): ReadonlyMap<string, ConversationTopic> => topics,
    /** Reads the conversation again if a client follows it in this process. */
    changed(conversationId: string): void {
      const topic = topics.get(conversationId);
      if (topic) queue.mark(topic);
    },
    /** Retries failed reads, and reads conversations in which a reply was running. */
    retry(): void {
      for (const topic of topics.values()) if (topic.awaitsReply) queue.mark(topic);
      for (const topic of failed) queue.mark(topic);
      failed.clear();
    },
    settled: queue.settled,
    /** Shows the typing of the member who has the conversation to the visitor. Other members can only write notes. */
    typing(conversationId: string, { userId, ...person }: Person): void {
      const topic = topics.get(conversationId);
      if (!topic?.state) return;
      const { handler, epoch, assigneeId } = topic.state;
      if (handler !== "human" || assigneeId !== userId) return;
      for (const { isMember, stream, position } of topic.followers) {
        if (!isMember) stream.reader.write(format({ type: "typing", person }, epoch, position ?? -1));
      }
    },
  };
}

/**
 * Reports the messages that the visitor's clients have received, as proven by the ids with which they reconnected. A
 * client cannot have received a message that has not been written yet.
 */
async function reportReceived(
  source: ConversationSource,
  { id: conversationId, lastPosition }: ConversationState,
  followers: readonly Follower[],
) {
  const reconnected = followers.filter(({ isMember, received }) => !isMember && received !== null);
  if (reconnected.length === 0) return;
  const received = Math.max(...reconnected.map(({ received }) => received ?? -1));
  await source.received(conversationId, Math.min(received, lastPosition));
  for (const follower of reconnected) follower.received = null;
}

/** The ownership as visitors see it (key false) and as members see it (key true), each only if any of them follow. */
async function readOwnerships(
  source: ConversationSource,
  followers: readonly Follower[],
  state: ConversationState,
): Promise<Ownerships> {
  const audiences = [...new Set(followers.map(({ isMember }) => isMember))];
  return new Map(
    await Promise.all(audiences.map(async (kind) => [kind, await source.ownership(state, kind)] as const)),
  );
}

function sendOwnership(follower: Follower, shown: Ownerships) {
  const ownership = shown.get(follower.isMember);
  const json = JSON.stringify(ownership);
  if (!ownership || follower.ownership === json) return;
  follower.ownership = json;
  follower.stream.reader.write(format({ type: "ownership", ownership }, ownership.epoch, follower.position ?? -1));
}

function sendMessage(message: LiveMessage, followers: readonly Follower[], epoch: number) {
  const texts = new Map<boolean, string>();
  for (const follower of followers) {
    if (message.position <= (follower.position ?? -1)) continue;
    const { isMember } = follower;
    const text =
      texts.get(isMember) ??
      format({ type: "message", message: message.render({ isMember }) }, epoch, message.position);
    texts.set(isMember, text);
    follower.position = message.position;
    const { stream } = follower;
    stream.reader.write(text);
    if (message.isFromMember && !isMember) {
      stream.expiresAt = Math.min(stream.expiresAt, Date.now() + CONFIRMED_WITHIN_MS);
    }
  }
}

function format(event: ConversationLiveEvent, epoch: number, position: number): string {
  return `id: ${epoch}:${position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Returns the position in a `Last-Event-ID`, or null if the header is missing or has another format. */
function parsePosition(lastEventId: string | undefined): number | null {
  const position = /^\d{1,9}:(-1|\d{1,9})$/.exec(lastEventId ?? "")?.[1];
  return position === undefined ? null : Number(position);
}

import type { Transaction } from "kysely";
import type { Logger } from "pino";
import { type Change, type ChangeListener, isHandoffChange } from "../../conversations/log/change.ts";
import { toPerson } from "../../conversations/ownership.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { Tables } from "../../db/tables.ts";
import { afterCommit } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { RecordEvents } from "../../events/record-events.ts";
import { recordSeen, recordSeenMessage } from "../notices/seen-answers.ts";
import { createActivityExchange } from "./activity.ts";
import { createConversationFeed } from "./conversation-feed.ts";
import { createInboxFeed } from "./inbox-feed.ts";
import { createLivePoll } from "./live-poll.ts";
import { createConversationSource, createInboxSource } from "./live-sources.ts";
import { createLiveStore } from "./live-store.ts";
import { createOpenStreams, type OpenStream } from "./open-streams.ts";
import { createPresence, type Typist, VISITOR } from "./presence.ts";
import { isAway, isReported, updateAway } from "./presence-store.ts";

const WARN_EVERY_MS = 60_000;

type Member = { organizationId: string; userId: string };

export type LiveStreams = ReturnType<typeof createLiveStreams>;

/**
 * Manages the live streams of this process. A change that is committed in this process is announced immediately.
 * Changes that are not announced, such as those of other processes, are read from the database while a stream is open.
 */
export function createLiveStreams(
  { db, databaseKind, config, log }: Pick<Deps, "db" | "databaseKind" | "config" | "log">,
  conversations: ConversationService,
) {
  const store = createLiveStore(db);
  const presence = createPresence(databaseKind === "postgres" ? db : null);
  const onError = createWarning(log);
  const activity = createActivityExchange(databaseKind === "postgres" ? db : null, onError);
  const open = createOpenStreams(config.limits);
  const received = (conversationId: string, position: number) => recordSeen(db, conversationId, position);
  const conversationFeed = createConversationFeed(createConversationSource(store, conversations, received), onError);
  const inboxFeed = createInboxFeed(createInboxSource(store, { conversations, presence }), onError);
  const parts = { store, presence, activity, open, conversationFeed, inboxFeed, announceTyping, onError };
  const poll = createLivePoll(config.livePoll, parts);

  async function announceTyping({ organizationId, conversationId, who }: Typist): Promise<void> {
    if (!conversationFeed.topics().has(conversationId) && !inboxFeed.topics().has(organizationId)) return;
    if (who === VISITOR) {
      inboxFeed.typing(organizationId, { type: "typing", conversationId, by: "visitor", person: null });
      return;
    }
    const user = (await store.members(organizationId)).find(({ id }) => id === who);
    if (!user) return;
    const person = toPerson(user, true);
    conversationFeed.typing(conversationId, person);
    inboxFeed.typing(organizationId, { type: "typing", conversationId, by: "member", person });
  }

  /** @returns a function that stops the stream and removes it */
  function add(stream: OpenStream, stop: () => void): () => void {
    open.add(stream);
    poll.start();
    return () => {
      stop();
      open.remove(stream);
      if (open.count() === 0) poll.stop().catch(onError);
    };
  }

  function happened(organizationId: string, conversationId: string): void {
    inboxFeed.active(organizationId, conversationId);
    activity.note(organizationId, conversationId);
  }

  function announce(change: Change): void {
    const { organizationId, conversationId } = change;
    if (conversationId === null) return;
    if (isActivity(change)) happened(organizationId, conversationId);
    if (change.kind === "member_message") presence.answered(organizationId, change.userId).catch(onError);
    const isMoved = change.kind === "trashed" || change.kind === "restored";
    if (isHandoffChange(change) || isMoved) inboxFeed.changed(organizationId, conversationId);
    // The streams of a conversation that was deleted or is in the trash end.
    if (isHandoffChange(change) || change.kind === "erased" || change.kind === "trashed")
      conversationFeed.changed(conversationId);
  }

  return {
    /** @throws 503 or 429 when this address or process has too many streams */
    checkRoom: open.checkRoom,
    /** Sends the events of a conversation after the one with this id. @returns a function that stops */
    followConversation(
      stream: OpenStream,
      topic: { organizationId: string; conversationId: string },
      client: { isMember: boolean; isVisible: boolean; lastEventId: string | undefined },
    ): () => void {
      return add(stream, conversationFeed.follow(topic, { stream, ...client }));
    },
    /** Sends the events of a member's inbox after the one with this id. @returns a function that stops */
    followInbox(
      stream: OpenStream,
      { organizationId, userId }: Member,
      { lastEventId, isActive }: { lastEventId: string | undefined; isActive: boolean | undefined },
    ): () => void {
      presence.open(organizationId, userId, isActive).catch(onError);
      const stop = inboxFeed.follow(organizationId, { stream, userId, lastEventId });
      return add(stream, () => {
        stop();
        presence.close(organizationId, userId);
      });
    },
    /** Whether a member has used the inbox in any process, or answered, in the last minutes, and is not away. */
    async isPresent(trx: Transaction<Tables>, member: Member): Promise<boolean> {
      const isHere =
        presence.isPresent(member.organizationId, member.userId) ||
        (databaseKind === "postgres" && (await isReported(trx, member, Date.now())));
      return isHere && !(await isAway(trx, member));
    },
    /**
     * Records that a member uses the inbox and, if given, whether they are away.
     * @returns whether they are away
     */
    async updatePresence(member: Member, away: boolean | undefined): Promise<boolean> {
      await presence.use(member.organizationId, member.userId);
      if (away === undefined) return isAway(db, member);
      await updateAway(db, member, away);
      inboxFeed.refresh(member.organizationId);
      return away;
    },
    /** Tells all followers of the conversation, in all processes, that a person is typing. */
    async typing(typist: Typist): Promise<void> {
      await Promise.all([announceTyping(typist), presence.typing(typist)]);
    },
    /**
     * Records that the visitor has seen the conversation up to a message, or up to its last one.
     * @throws 404 when the conversation has no such message
     */
    seen: (conversation: { organizationId: string; conversationId: string }, messageId: string | null): Promise<void> =>
      recordSeenMessage(db, conversation, messageId),
    /** Announces changes once they are committed. */
    listener: (async (trx, changes) => {
      afterCommit(trx, () => changes.forEach(announce));
    }) satisfies ChangeListener,
    /**
     * Announces to members in which conversations something happened, with the agent or a person, once it is committed.
     */
    recordEvents: (async (trx, events) => {
      afterCommit(trx, () => {
        for (const { organizationId, conversationId } of events) {
          if (conversationId !== null) happened(organizationId, conversationId);
        }
      });
    }) satisfies RecordEvents,
    /** Rejects new streams and ends the open ones. */
    async drain(): Promise<void> {
      open.drain();
      await Promise.all([poll.stop(), activity.stop(), conversationFeed.settled(), inboxFeed.settled()]);
    },
  };
}

/** Whether members see the change in the list of all conversations, with the agent or a person. */
function isActivity(change: Change): boolean {
  switch (change.kind) {
    case "turn":
    case "reply_ended":
    case "taken":
    case "returned":
    case "closed":
    case "cancelled":
    case "erased":
    case "trashed":
    case "restored":
    case "read":
    case "status":
    case "conversation_rated":
      return true;
    case "requested":
      return !change.isRepeated;
    case "rated":
      return change.isReported;
    default:
      return false;
  }
}

/** Logs a warning at most once a minute, because every poll fails for the same reason. */
function createWarning(log: Logger) {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (error: unknown) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    log.warn({ err: error }, "reading changes for the live streams failed; trying again");
  };
}

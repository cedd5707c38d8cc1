import type { InboxChange, InboxEvent, Person } from "@foyer/contract";
import { type Activity, type ActivitySource, createActivityFeed } from "./activity-feed.ts";
import type { InboxTotals, OpenConversation } from "./live-store.ts";
import type { OpenStream } from "./open-streams.ts";
import { createReadQueue } from "./read-queue.ts";

const CONCURRENT_READS = 2;
/** The number of conversations that one query reads. */
const PAGE = 100;
/**
 * The minimum time between two counts of the unread, open and resolved conversations of an organization, in
 * milliseconds, no matter how much happens in it. Nothing is counted while nothing happens.
 */
const TOTALS_EVERY_MS = 250;
/** The maximum number of conversations whose last sent version is remembered. */
const MAX_REMEMBERED = 5_000;

/** A conversation as the inbox shows it. `version` changes whenever anything that the inbox shows changes. */
export type InboxEntry = { change: InboxChange; version: string; changedAt: number };
/** How many conversations are waiting, and how many each member has. */
type InboxCounts = { waiting: number; byMember: ReadonlyMap<string, number> };
type PresentMember = Person & { isPresent: boolean; isAway: boolean };

export type InboxSource = {
  entries(organizationId: string, conversationIds: readonly string[]): Promise<InboxEntry[]>;
  /** The conversations that changed since this time (milliseconds), oldest change first. At most the newest 2,000. */
  changedSince(organizationId: string, since: number): Promise<string[]>;
  /** The conversations that are waiting or with a member. At most those of the newest 2,000 changes. */
  openConversations(organizationId: string): Promise<OpenConversation[]>;
  counts(organizationId: string): Promise<InboxCounts>;
  totals(organizationId: string): Promise<InboxTotals>;
  members(organizationId: string): Promise<PresentMember[]>;
} & ActivitySource;

type Follower = {
  stream: OpenStream;
  userId: string;
  /** the id of the events: the time of the latest change that was sent, in milliseconds */
  cursor: number;
  /** the time from which changes still have to be sent; null once they have been sent */
  backlogFrom: number | null;
  /** the last sent counts, as JSON */
  counts: string | null;
  presence: string | null;
  /** Whether the client was disconnected and has not been told yet that the missed activity was not repeated. */
  missedActivity: boolean;
};

/** `isOpen` means that the conversation was waiting or with a member. */
type Sent = { version: string; isOpen: boolean };

export type InboxTopic = {
  organizationId: string;
  followers: Set<Follower>;
  dirty: Set<string>;
  /** the last sent version, by conversation */
  sent: Map<string, Sent>;
  /** milliseconds since 1970 */
  startedAt: number;
  /** the members who were present at the last check */
  present: string;
  /** the last counted totals; null before the first count */
  totals: InboxTotals | null;
  /** whether something has happened since the totals were counted */
  areTotalsStale: boolean;
  /** the performance.now() of the last count */
  totalsAt: number;
  totalsTimer: NodeJS.Timeout | undefined;
};

/** The longest time between the timestamp of a change and its commit. */
export const OVERLAP_MS = 10_000;

export type InboxFeed = ReturnType<typeof createInboxFeed>;

/** Manages the inbox streams in this process. Each change is read once for all members of its organization. */
export function createInboxFeed(source: InboxSource, onError: (error: unknown) => void) {
  const topics = new Map<string, InboxTopic>();
  const failed = new Set<InboxTopic>();
  const queue = createReadQueue<InboxTopic>(CONCURRENT_READS, read, (topic, error) => {
    failed.add(topic);
    onError(error);
  });
  const activity = createActivityFeed(source, sendActivity, onError);

  async function read(topic: InboxTopic): Promise<void> {
    await sendChanges(topic);
    await sendSummary(topic);
    await sendBacklogs(source, topic);
    if (topic.dirty.size > 0) queue.mark(topic);
  }

  async function sendChanges(topic: InboxTopic) {
    const ids = [...topic.dirty].slice(0, PAGE);
    if (ids.length === 0) return;
    // Cleared before the read, because conversations that change during the read must be read again.
    for (const id of ids) topic.dirty.delete(id);
    try {
      sendEntries(topic, ids, await source.entries(topic.organizationId, ids));
    } catch (error) {
      for (const id of ids) topic.dirty.add(id);
      throw error;
    }
  }

  async function sendSummary(topic: InboxTopic) {
    const { waiting, byMember } = await source.counts(topic.organizationId);
    const totals = await readTotals(topic);
    const members = await source.members(topic.organizationId);
    const presence: InboxEvent = { type: "presence", members };
    for (const follower of topic.followers) {
      const counts: InboxEvent = { type: "counts", waiting, mine: byMember.get(follower.userId) ?? 0, ...totals };
      follower.counts = send(follower, counts, follower.counts);
      follower.presence = send(follower, presence, follower.presence);
      if (!follower.missedActivity) continue;
      follower.missedActivity = false;
      send(follower, { type: "activity", conversations: [], hasMore: true }, null);
    }
  }

  /** Counts the totals again if something happened, unless a timer is about to do so. */
  async function readTotals(topic: InboxTopic): Promise<InboxTotals> {
    if (topic.totals && (!topic.areTotalsStale || topic.totalsTimer)) return topic.totals;
    // Cleared before the read, because what happens during the read must be counted again.
    topic.areTotalsStale = false;
    topic.totalsAt = performance.now();
    try {
      topic.totals = await source.totals(topic.organizationId);
    } catch (error) {
      topic.areTotalsStale = true;
      throw error;
    }
    return topic.totals;
  }

  function countAgain(topic: InboxTopic) {
    topic.areTotalsStale = true;
    const wait = Math.max(0, topic.totalsAt + TOTALS_EVERY_MS - performance.now());
    topic.totalsTimer ??= setTimeout(() => {
      topic.totalsTimer = undefined;
      queue.mark(topic);
    }, wait).unref();
  }

  function sendActivity(organizationId: string, { removed, ...event }: Activity) {
    const topic = topics.get(organizationId);
    if (!topic) return;
    for (const follower of topic.followers) send(follower, { type: "activity", ...event }, null);
    for (const id of removed) sendRemoved(topic, id);
  }

  return {
    /** Follows the inbox after the event with this id. @returns a function that stops */
    follow(
      organizationId: string,
      { stream, userId, lastEventId }: { stream: OpenStream; userId: string; lastEventId: string | undefined },
    ): () => void {
      const topic = topics.get(organizationId) ?? newTopic(organizationId);
      const follower = newFollower(stream, userId, parseCursor(lastEventId));
      topics.set(organizationId, topic);
      topic.followers.add(follower);
      queue.mark(topic);
      return () => {
        topic.followers.delete(follower);
        if (topic.followers.size > 0 || topics.get(organizationId) !== topic) return;
        activity.forget(organizationId);
        clearTimeout(topic.totalsTimer);
        topics.delete(organizationId);
      };
    },
    topics: (): ReadonlyMap<string, InboxTopic> => topics,
    /** Reads a conversation again unless this version of it has already been sent. */
    changed(organizationId: string, conversationId: string, version?: string): void {
      const topic = topics.get(organizationId);
      if (!topic || (version !== undefined && topic.sent.get(conversationId)?.version === version)) return;
      topic.dirty.add(conversationId);
      queue.mark(topic);
      countAgain(topic);
    },
    /**
     * Compares the open conversations with the conversations that were sent. This finds conversations that another
     * process deleted, and changes by a process with a wrong clock.
     */
    async compare(topic: InboxTopic): Promise<void> {
      for (const id of findStale(topic, await source.openConversations(topic.organizationId))) topic.dirty.add(id);
      if (topic.dirty.size > 0) queue.mark(topic);
    },
    /** Reports that something happened in a conversation or, with null, in more conversations than can be listed. */
    active(organizationId: string, conversationId: string | null): void {
      const topic = topics.get(organizationId);
      if (!topic) return;
      activity.happened(organizationId, conversationId);
      countAgain(topic);
    },
    /** Reads counts and presence again. */
    refresh(organizationId: string): void {
      const topic = topics.get(organizationId);
      if (topic) queue.mark(topic);
    },
    settled: () => Promise.all([queue.settled(), activity.settled()]),
    /** Retries failed reads. */
    retry(): void {
      for (const topic of failed) queue.mark(topic);
      failed.clear();
    },
    /** Members are not told about their own typing. */
    typing(organizationId: string, event: Extract<InboxEvent, { type: "typing" }>): void {
      for (const follower of topics.get(organizationId)?.followers ?? []) {
        if (event.person?.userId !== follower.userId) send(follower, event, null);
      }
    },
  };
}

/** Sends the followers that resume everything that has changed since they were last connected. */
async function sendBacklogs(source: InboxSource, topic: InboxTopic) {
  for (const follower of topic.followers) {
    if (follower.backlogFrom === null) continue;
    const ids = await source.changedSince(topic.organizationId, follower.backlogFrom);
    for (let from = 0; from < ids.length && topic.followers.has(follower); from += PAGE) {
      for (const entry of await source.entries(topic.organizationId, ids.slice(from, from + PAGE))) {
        sendEntry(follower, entry);
      }
    }
    follower.backlogFrom = null;
  }
}

function newTopic(organizationId: string): InboxTopic {
  return {
    organizationId,
    followers: new Set(),
    dirty: new Set(),
    sent: new Map(),
    startedAt: Date.now(),
    present: "",
    totals: null,
    areTotalsStale: false,
    totalsAt: Number.NEGATIVE_INFINITY,
    totalsTimer: undefined,
  };
}

/** @param last the time of the newest change that the client has, or null */
function newFollower(stream: OpenStream, userId: string, last: number | null): Follower {
  const backlogFrom = last === null ? null : last - OVERLAP_MS;
  const missedActivity = last !== null;
  return { stream, userId, cursor: last ?? Date.now(), backlogFrom, counts: null, presence: null, missedActivity };
}

/** The conversations that were changed or deleted since they were sent. */
function findStale(topic: InboxTopic, open: readonly OpenConversation[]): string[] {
  const changed = open.filter(({ id, version, changedAt }) => {
    const sent = topic.sent.get(id);
    if (sent) return sent.version !== version;
    // Clients have already loaded conversations that changed before they started to follow the inbox.
    if (changedAt >= topic.startedAt - OVERLAP_MS) return true;
    remember(topic, id, { version, isOpen: true });
    return false;
  });
  const openIds = new Set(open.map(({ id }) => id));
  const gone = [...topic.sent].filter(([id, { isOpen }]) => isOpen && !openIds.has(id));
  return [...changed.map(({ id }) => id), ...gone.map(([id]) => id)];
}

function sendEntries(topic: InboxTopic, ids: readonly string[], entries: readonly InboxEntry[]) {
  for (const entry of entries) {
    const { conversationId, ownership } = entry.change;
    remember(topic, conversationId, { version: entry.version, isOpen: ownership.handler !== "agent" });
    for (const follower of topic.followers) sendNewEntry(follower, entry);
  }
  const existing = new Set(entries.map(({ change }) => change.conversationId));
  for (const conversationId of ids) {
    if (!existing.has(conversationId)) sendRemoved(topic, conversationId);
  }
}

function sendRemoved({ sent, followers }: InboxTopic, conversationId: string) {
  sent.delete(conversationId);
  for (const follower of followers) send(follower, { type: "removed", conversationId }, null);
}

function remember({ sent }: InboxTopic, conversationId: string, entry: Sent) {
  // A map keeps insertion order, so the first entry was sent longest ago.
  sent.delete(conversationId);
  sent.set(conversationId, entry);
  const [oldest] = sent.keys();
  if (sent.size > MAX_REMEMBERED && oldest !== undefined) sent.delete(oldest);
}

function sendEntry(follower: Follower, { change, changedAt }: InboxEntry) {
  follower.cursor = Math.max(follower.cursor, changedAt);
  send(follower, { type: "conversation", change }, null);
}

/**
 * The cursor does not advance until the backlog has been sent, because a client that resumes after this event still
 * needs the backlog.
 */
function sendNewEntry(follower: Follower, entry: InboxEntry) {
  if (follower.backlogFrom === null) sendEntry(follower, entry);
  else send(follower, { type: "conversation", change: entry.change }, null);
}

/** Sends the event unless it equals the previous one. @returns its JSON */
function send({ stream, cursor }: Follower, event: InboxEvent, previousJson: string | null): string {
  const json = JSON.stringify(event);
  if (json !== previousJson) stream.reader.write(`id: ${cursor}\nevent: ${event.type}\ndata: ${json}\n\n`);
  return json;
}

function parseCursor(lastEventId: string | undefined): number | null {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

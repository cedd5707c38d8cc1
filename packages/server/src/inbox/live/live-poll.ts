import { type ActivityExchange, MANY } from "./activity.ts";
import type { ConversationFeed } from "./conversation-feed.ts";
import { type InboxFeed, OVERLAP_MS } from "./inbox-feed.ts";
import { formatVersion, type LiveStore } from "./live-store.ts";
import { endStream, type OpenStream, type OpenStreams } from "./open-streams.ts";
import type { Presence, Typist } from "./presence.ts";

/** Each poll checks a part of the open streams: by default, each one is checked every four seconds. */
const POLLS_PER_ROUND = 8;
/** The clients of expired streams reconnect within this time, in milliseconds. */
const EXPIRED_RETRY_MS = 1_000;

type Parts = {
  store: LiveStore;
  presence: Presence;
  activity: ActivityExchange;
  open: OpenStreams;
  conversationFeed: ConversationFeed;
  inboxFeed: InboxFeed;
  announceTyping(typist: Typist): Promise<void>;
  onError(error: unknown): void;
};

/**
 * Finds changes that nothing in this process announces: changes of other processes, replies and sessions that have
 * ended, and deleted conversations. Between `start` and `stop`, that is while a stream is open, it polls every
 * `interval` milliseconds.
 */
export function createLivePoll(interval: number, parts: Parts) {
  const { store, presence, activity, open, conversationFeed, inboxFeed, announceTyping, onError } = parts;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | null = null;
  /** when the last successful poll began, minus the overlap; null before the first one */
  let changedSince: number | null = null;
  /** the streams that remain to be checked in this round */
  let round: OpenStream[] = [];

  async function poll() {
    const startedAt = Date.now();
    const topics = [...conversationFeed.topics().values(), ...inboxFeed.topics().values()];
    const organizationIds = [...new Set(topics.map(({ organizationId }) => organizationId))];
    conversationFeed.retry();
    inboxFeed.retry();
    const since = changedSince ?? startedAt - OVERLAP_MS;
    const rows = await store.changedIn(organizationIds, since);
    for (const row of rows) {
      const version = formatVersion(row);
      if (conversationFeed.topics().get(row.id)?.state?.version !== version) conversationFeed.changed(row.id);
      inboxFeed.changed(row.organizationId, row.id, version);
    }
    for (const { organizationId, conversationId } of await activity.read([...inboxFeed.topics().keys()], since)) {
      inboxFeed.active(organizationId, conversationId === MANY ? null : conversationId);
    }
    changedSince = startedAt - OVERLAP_MS;
    for (const typist of await presence.exchange(organizationIds)) await announceTyping(typist);
    await checkBatch(organizationIds);
  }

  /** Ends streams that have expired or are no longer allowed, and those of conversations that no longer exist. */
  async function checkBatch(organizationIds: readonly string[]) {
    if (round.length === 0) await startRound();
    const batch = round.splice(0, Math.ceil(open.count() / POLLS_PER_ROUND));
    for (const stream of batch) {
      if (stream.expiresAt <= Date.now()) endStream(stream, Math.random() * EXPIRED_RETRY_MS);
      else if (stream.isAllowed && !(await stream.isAllowed())) stream.reader.end();
    }
    const ids = [...new Set(batch.flatMap(({ conversationId }) => conversationId ?? []))];
    const versions = await store.versions(organizationIds, ids);
    for (const id of ids) {
      const version = conversationFeed.topics().get(id)?.state?.version;
      if (version !== undefined && versions.get(id) !== version) conversationFeed.changed(id);
    }
  }

  async function startRound() {
    round = [...open.all()];
    presence.forgetAbsent();
    for (const topic of inboxFeed.topics().values()) {
      const present = presence.presentIn(topic.organizationId);
      if (present !== topic.present) inboxFeed.refresh(topic.organizationId);
      topic.present = present;
      await inboxFeed.compare(topic);
    }
  }

  return {
    start(): void {
      timer ??= setInterval(() => {
        // A slow database is not polled again until it has responded.
        polling ??= poll()
          .catch(onError)
          .finally(() => {
            polling = null;
          });
      }, interval);
    },
    /** Resolves once no read is in progress. */
    async stop(): Promise<void> {
      clearInterval(timer);
      timer = undefined;
      changedSince = null;
      await polling;
    },
  };
}

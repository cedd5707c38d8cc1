import { AppError } from "../../errors.ts";
import type { EventReader } from "../../http/sse.ts";
import { createFairPool, type FairPool, type Holder, type Release } from "../../pools/fair-pool.ts";

/** The maximum number of open streams of a conversation or of a member. A further stream replaces the oldest one. */
const MAX_READERS = 20;
/**
 * How long a replaced client waits before it reconnects, in milliseconds, so that 21 tabs do not replace each other in
 * quick succession.
 */
const REPLACED_RETRY_MS = 30_000;
/** The number of seconds after which a rejected client may try again. */
const RETRY_AFTER = 5;

/** Whose share of the streams is used. */
export type StreamClient = {
  organizationId: string;
  isMember: boolean;
  /** the IP address that limits apply to, or null if it is exempt */
  ip: string | null;
};

/** One client that follows a conversation or the inbox. */
export type OpenStream = StreamClient & {
  reader: EventReader;
  /** `conversation:<id>` or `member:<organization>:<user>` */
  subject: string;
  /** null for an inbox */
  conversationId: string | null;
  /** Whether the session or key still grants the stream; null for a conversation token, which never expires. */
  isAllowed: (() => Promise<boolean>) | null;
  /** milliseconds since 1970 */
  expiresAt: number;
};

/** Ends a stream. Its client reconnects after this many milliseconds. */
export function endStream({ reader }: OpenStream, retryMs: number): void {
  reader.write(`retry: ${Math.round(retryMs)}\n\n`);
  reader.end();
}

/**
 * The streams that are open in this process, and their limits. 0 disables a limit. A tenth of the streams is reserved for
 * members, so that waiting visitors cannot keep them from the inbox.
 */
export function createOpenStreams(limits: { streams: number; streamsPerIp: number }) {
  const forMembers = Math.floor(limits.streams / 10);
  const pool = createPool("live_streams", limits.streams - forMembers, limits);
  const memberPool = forMembers > 0 ? createPool("member_streams", forMembers, limits) : pool;
  const open = new Map<OpenStream, Release>();
  const bySubject = new Map<string, Set<OpenStream>>();
  let isDraining = false;

  return {
    /** @throws 503 while the server is shutting down or at capacity, 429 when the address has too many streams */
    checkRoom(client: StreamClient): void {
      if (isDraining) {
        throw new AppError("OVERLOADED", "The server is restarting. Try again in a moment.", {
          retryAfter: RETRY_AFTER,
        });
      }
      const holder = toHolder(client);
      if (!client.isMember || !memberPool.mayEnter(holder)) pool.checkRoom(holder);
    },
    /**
     * Adds a stream, and ends the oldest one of its conversation or member if there are too many. The client of the
     * oldest stream has most likely disappeared without closing the connection, which can remain unnoticed for a
     * quarter of an hour.
     */
    add(stream: OpenStream): void {
      const holder = toHolder(stream);
      open.set(stream, (stream.isMember ? memberPool.tryEnter(holder) : null) ?? pool.enter(holder));
      const subjectStreams = bySubject.get(stream.subject) ?? new Set();
      bySubject.set(stream.subject, subjectStreams);
      const [oldest] = subjectStreams;
      subjectStreams.add(stream);
      if (oldest && subjectStreams.size > MAX_READERS) endStream(oldest, REPLACED_RETRY_MS);
    },
    remove(stream: OpenStream): void {
      const release = open.get(stream);
      if (!release) return;
      release();
      open.delete(stream);
      const subjectStreams = bySubject.get(stream.subject);
      subjectStreams?.delete(stream);
      if (subjectStreams?.size === 0) bySubject.delete(stream.subject);
    },
    count: () => open.size,
    /** Ordered from oldest to newest. */
    all: (): Iterable<OpenStream> => open.keys(),
    /** Rejects new streams and ends the open ones. Their clients reconnect at different times, to another process. */
    drain(): void {
      isDraining = true;
      for (const stream of open.keys()) endStream(stream, 1_000 + Math.random() * 4_000);
    },
  };
}

const toHolder = ({ organizationId, ip }: StreamClient): Holder => ({ owner: organizationId, address: ip });

function createPool(name: string, size: number, { streamsPerIp }: { streamsPerIp: number }): FairPool {
  return createFairPool({
    name,
    size,
    maxPerOwner: size || Number.POSITIVE_INFINITY,
    // Most servers have one organization, which can use three quarters of the streams.
    freeFactor: 3,
    maxPerAddress: streamsPerIp,
    messages: {
      busy: "Too many live streams are open. Try again in a moment.",
      address: "Too many live streams are open from your address.",
    },
    retryAfter: RETRY_AFTER,
  });
}

export type OpenStreams = ReturnType<typeof createOpenStreams>;

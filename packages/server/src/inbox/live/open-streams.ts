import { AppError } from "../../errors.ts";
import type { EventReader } from "../../http/sse.ts";

/** The maximum number of open streams of a conversation or of a member. A further stream replaces the oldest one. */
const MAX_READERS = 20;
/**
 * How long a replaced client waits before it reconnects, in milliseconds, so that 21 tabs do not replace each other in
 * quick succession.
 */
const REPLACED_RETRY_MS = 30_000;
/** The number of seconds after which a rejected client may try again. */
const RETRY_AFTER = 5;

/** One client that follows a conversation or the inbox. */
export type OpenStream = {
  reader: EventReader;
  /** the IP address that limits apply to, or null if it is exempt */
  ip: string | null;
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

/** The streams that are open in this process, and their limits. 0 disables a limit. */
export function createOpenStreams(limits: { streams: number; streamsPerIp: number }) {
  const open = new Set<OpenStream>();
  const perIp = new Map<string, number>();
  const bySubject = new Map<string, Set<OpenStream>>();
  let isDraining = false;

  return {
    /** @throws 503 while the server is shutting down or at capacity, 429 when the address has too many streams */
    checkRoom(ip: string | null): void {
      if (isDraining) {
        throw new AppError("OVERLOADED", "The server is restarting. Try again in a moment.", {
          retryAfter: RETRY_AFTER,
        });
      }
      if (limits.streams > 0 && open.size >= limits.streams) {
        throw new AppError("OVERLOADED", "Too many live streams are open. Try again in a moment.", {
          retryAfter: RETRY_AFTER,
        });
      }
      if (ip !== null && limits.streamsPerIp > 0 && (perIp.get(ip) ?? 0) >= limits.streamsPerIp) {
        throw new AppError("RATE_LIMITED", "Too many live streams are open from your address.", {
          retryAfter: RETRY_AFTER,
          limit: limits.streamsPerIp,
        });
      }
    },
    /**
     * Adds a stream, and ends the oldest one of its conversation or member if there are too many. The client of the
     * oldest stream has most likely disappeared without closing the connection, which can remain unnoticed for a
     * quarter of an hour.
     */
    add(stream: OpenStream): void {
      open.add(stream);
      if (stream.ip !== null) perIp.set(stream.ip, (perIp.get(stream.ip) ?? 0) + 1);
      const subjectStreams = bySubject.get(stream.subject) ?? new Set();
      bySubject.set(stream.subject, subjectStreams);
      const [oldest] = subjectStreams;
      subjectStreams.add(stream);
      if (oldest && subjectStreams.size > MAX_READERS) endStream(oldest, REPLACED_RETRY_MS);
    },
    remove(stream: OpenStream): void {
      if (!open.delete(stream)) return;
      const subjectStreams = bySubject.get(stream.subject);
      subjectStreams?.delete(stream);
      if (subjectStreams?.size === 0) bySubject.delete(stream.subject);
      if (stream.ip === null) return;
      const remaining = (perIp.get(stream.ip) ?? 1) - 1;
      if (remaining > 0) perIp.set(stream.ip, remaining);
      else perIp.delete(stream.ip);
    },
    count: () => open.size,
    /** Ordered from oldest to newest. */
    all: (): ReadonlySet<OpenStream> => open,
    /** Rejects new streams and ends the open ones. Their clients reconnect at different times, to another process. */
    drain(): void {
      isDraining = true;
      for (const stream of open) endStream(stream, 1_000 + Math.random() * 4_000);
    },
  };
}

export type OpenStreams = ReturnType<typeof createOpenStreams>;

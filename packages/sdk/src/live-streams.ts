import type { ConversationLiveEvent, InboxEvent } from "@foyer/contract";
import type { ConversationKey, StreamOptions } from "./chat-stream.ts";
import { delay, readEvents } from "./event-reader.ts";
import { FoyerError } from "./foyer-error.ts";
import type { Request } from "./request.ts";

/** An event of a live stream. Pass the last `eventId` as `lastEventId` to continue right after it. */
export type LiveEvent<Event> = Event & { eventId: string };

export type LiveStreamOptions = StreamOptions & {
  /** The `eventId` of the last event that you have. */
  lastEventId?: string;
};

/** The delays before each attempt to reconnect, in milliseconds. The last one repeats until the caller aborts. */
const WAITS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** How long a connection may be silent, in milliseconds: three times the interval of the server's comments. */
const SILENCE = 45_000;
/** The longest wait that the server can request, in milliseconds. */
const MAX_WAIT = 60_000;

/**
 * Follows a conversation while its visitor waits for a person or talks to one: who has the conversation, the messages,
 * and typing. It reconnects as often as necessary, after a sleep, a change of network or a restart of the server, and
 * continues after the last event. Ends after the `ownership` event that returns the conversation to the agent, or when
 * `signal` aborts. A message can arrive that you already have, so identify messages by their id.
 * @param conversation its `token` is omitted on a member's page, which sends the session cookie
 * @throws FoyerError when the server rejects the request, for example because the conversation was deleted
 */
export function conversationEvents(
  request: Request,
  { id, token }: Pick<ConversationKey, "id"> & Partial<ConversationKey>,
  options: LiveStreamOptions = {},
): AsyncGenerator<LiveEvent<ConversationLiveEvent>, void, undefined> {
  const isLast = (event: ConversationLiveEvent) => event.type === "ownership" && event.ownership.handler === "agent";
  return follow(request, { path: `/conversations/${id}/events`, token, isLast }, options);
}

export type InboxStreamOptions = LiveStreamOptions & {
  /** Called for each connection: whether the member uses the page, such as in a visible tab. */
  isActive?: () => boolean;
};

/**
 * Follows the inbox of the signed-in member's organization, and reconnects like `conversationEvents`. It ends when
 * `signal` aborts. Events describe states, so receiving an event twice has no effect.
 * @throws FoyerError when the server rejects the request, for example because the session has ended
 */
export function inboxEvents(
  request: Request,
  { isActive, ...options }: InboxStreamOptions = {},
): AsyncGenerator<LiveEvent<InboxEvent>, void, undefined> {
  const path = () => `/inbox/events${isActive?.() === false ? "?active=false" : ""}`;
  return follow(request, { path, token: undefined, isLast: () => false }, options);
}

/**
 * Reports that a person is typing. The report is valid for five seconds, so repeat it every three seconds while they
 * type.
 */
export async function reportTyping(
  request: Request,
  { id, token }: Pick<ConversationKey, "id"> & Partial<ConversationKey>,
): Promise<void> {
  await request(`/conversations/${id}/typing`, { method: "POST", token });
}

/**
 * Reports that the visitor has seen the conversation. What a person wrote so far is then not sent to them by email.
 * @param messageId the last message that was shown; without it, all messages so far count as seen
 */
export async function reportSeen(request: Request, { id, token }: ConversationKey, messageId?: string): Promise<void> {
  await request(`/conversations/${id}/seen`, { method: "POST", token, body: messageId ? { messageId } : {} });
}

type Source<Event> = { path: string | (() => string); token: string | undefined; isLast: (event: Event) => boolean };

async function* follow<Event extends object>(
  request: Request,
  { path, token, isLast }: Source<Event>,
  { signal, onReconnect, waits = WAITS, silence = SILENCE, lastEventId = "" }: LiveStreamOptions,
): AsyncGenerator<LiveEvent<Event>, void, undefined> {
  for (let attempts = 0; !signal?.aborted; attempts++) {
    /** The wait that the server requested, in milliseconds. */
    let asked: number | null = null;
    try {
      const headers: Record<string, string> = lastEventId ? { "last-event-id": lastEventId } : {};
      const response = await request(typeof path === "string" ? path : path(), { token, signal, headers });
      const onRetry = (milliseconds: number) => {
        asked = milliseconds;
      };
      for await (const { id, data } of readEvents(response, silence, { onRetry })) {
        const event: LiveEvent<Event> = Object.assign(JSON.parse(data) as Event, { eventId: id });
        lastEventId = id;
        attempts = 0;
        yield event;
        if (isLast(event)) return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof SyntaxError) throw error;
      if (error instanceof FoyerError) {
        if (!error.isTemporary) throw error;
        asked = error.retryAfter === null ? null : error.retryAfter * 1_000;
      }
    }
    if (signal?.aborted) return;
    onReconnect?.();
    const planned = waits[Math.min(attempts, waits.length - 1)] ?? 0;
    await delay(asked === null ? addJitter(planned) : Math.min(asked, MAX_WAIT), signal);
  }
}

/** Spreads the clients that lost the same server over the second half of the delay. */
const addJitter = (milliseconds: number) => milliseconds * (0.5 + Math.random() / 2);

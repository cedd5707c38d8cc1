import type { ConversationLiveEvent, InboxEvent } from "@foyer/contract";
import { createSseParser } from "../packages/sdk/src/sse-parser.ts";

type Event = ConversationLiveEvent | InboxEvent;
type OfType<Type extends Event["type"]> = Extract<Event, { type: Type }>;
/** An event with the `id` of its line in the stream. */
type ReceivedLive = Event & { eventId: string };

/** An open live stream: its events as they arrive. */
export type LiveClient = {
  response: Response;
  events: ReceivedLive[];
  /** the last wait that the server requested, in milliseconds */
  retry(): number | null;
  /** resolves with the first matching event of the type, including one that has already arrived */
  until<Type extends Event["type"]>(
    type: Type,
    matches?: (event: OfType<Type>) => boolean,
  ): Promise<OfType<Type> & { eventId: string }>;
  /** the texts of the messages so far */
  texts(): string[];
  /** resolves when the server has ended the stream, or the connection broke */
  ended: Promise<void>;
  leave(): Promise<void>;
};

/** Follows a live stream over a real connection. An error response has no events. */
export async function openLive(url: string, headers: Record<string, string> = {}): Promise<LiveClient> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const events: ReceivedLive[] = [];
  const watchers = new Set<() => void>();
  let retry: number | null = null;
  let hasEnded = false;
  const read = async () => {
    const parse = createSseParser({
      onRetry: (milliseconds) => {
        retry = milliseconds;
      },
    });
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) {
        for (const { id, data } of parse(decoder.decode(bytes, { stream: true }))) {
          events.push({ ...JSON.parse(data), eventId: id });
        }
        for (const watcher of watchers) watcher();
      }
    } catch {
      // Either the test has aborted the stream or the server was killed.
    }
    hasEnded = true;
    for (const watcher of watchers) watcher();
  };
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const ended = isStream ? read() : Promise.resolve();
  return {
    response,
    events,
    retry: () => retry,
    until: (type, matches = () => true) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = events.find((event) => event.type === type && matches(event as never));
          if (!found && !hasEnded) return;
          watchers.delete(check);
          if (found) resolve(found as never);
          else reject(new Error(`The stream ended without ${type}: ${JSON.stringify(events)}`));
        };
        watchers.add(check);
        check();
      }),
    texts: () => events.flatMap((event) => (event.type === "message" ? [event.message.content] : [])),
    ended,
    leave: async () => {
      abort.abort();
      await ended;
    },
  };
}

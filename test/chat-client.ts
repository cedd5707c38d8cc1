import { setTimeout as wait } from "node:timers/promises";
import type { ChatEvent } from "@foyer/contract";

/** `eventId` is the stream's own `id:` line; `id` is the same, except for a tool call, where it is the call's id. */
export type ReceivedEvent = ChatEvent & { id: string; eventId: string };

/** An open chat stream: its events and comments as they arrive. */
export type ChatStream = {
  response: Response;
  events: ReceivedEvent[];
  comments: string[];
  /** resolves with the first matching event, including one that has already arrived */
  until(type: ChatEvent["type"], matches?: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>;
  untilComment(): Promise<void>;
  /** resolves when the stream has ended */
  ended: Promise<void>;
  leave(): void;
};

/** Posts to `/chat` and reads the stream; see `openStream`. */
export function openChat(url: string, body: object, headers: Record<string, string> = {}): Promise<ChatStream> {
  return openStream(`${url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/**
 * Reads any stream of chat events; an error response has no events.
 * @param pauseMs the wait of a slow reader after each piece
 */
export async function openStream(url: string, init: RequestInit = {}, pauseMs = 0): Promise<ChatStream> {
  const abort = new AbortController();
  const response = await fetch(url, { ...init, signal: abort.signal });
  const events: ReceivedEvent[] = [];
  const comments: string[] = [];
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const ended = isStream ? read(response, { events, comments, notify, pauseMs }) : Promise.resolve();
  const watch = <T>(find: () => T | undefined, what: string) =>
    new Promise<T>((resolve, reject) => {
      const check = () => {
        const found = find();
        if (found === undefined) return;
        watchers.delete(check);
        resolve(found);
      };
      watchers.add(check);
      ended.then(
        () => reject(new Error(`The stream ended without ${what}: ${JSON.stringify(events)}`)),
        () => reject(new Error(`The stream broke before ${what}`)),
      );
      check();
    });
  return {
    response,
    events,
    comments,
    until: (type, matches = () => true) =>
      watch(() => events.find((event) => event.type === type && matches(event)), type),
    untilComment: () => watch(() => comments[0], "a comment").then(() => {}),
    ended,
    leave: () => abort.abort(),
  };
}

type Reader = Pick<ChatStream, "events" | "comments"> & { notify: () => void; pauseMs: number };

async function read(response: Response, { events, comments, notify, pauseMs }: Reader) {
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) {
      rest += decoder.decode(bytes, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith(":")) comments.push(block);
        else events.push(parse(block));
      }
      notify();
      if (pauseMs > 0) await wait(pauseMs);
    }
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
  }
}

function parse(block: string): ReceivedEvent {
  const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
  const data = JSON.parse(fields.data);
  if (data.type !== fields.event) throw new Error(`event ${fields.event} has the type ${data.type}`);
  return { id: fields.id, ...data, eventId: fields.id };
}

/** The text of the deltas, concatenated. */
export function joinText(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === "content_block_delta" ? event.delta.text : "")).join("");
}

import type { ChatEvent, ChatRequest } from "@foyer/contract";
import { FoyerError } from "./foyer-error.ts";
import type { Request } from "./request.ts";
import { createSseParser, type ServerEvent } from "./sse-parser.ts";

/** What opens one conversation to whoever holds it: both come with `message_start`. */
export type ConversationKey = { id: string; token: string };

export type StreamOptions = {
  /** Leaves the stream; the reply itself goes on for a while. The events then end without an error. */
  signal?: AbortSignal;
  /** Told each time that the connection was lost and is about to be taken up again. */
  onReconnect?: () => void;
  /** The waits before each attempt to reconnect, in milliseconds. */
  waits?: readonly number[];
  /** Milliseconds without a word after which a connection counts as dead; the server says something every 15 s. */
  silence?: number;
};

/** Together a little more than a reply waits for a reader. */
const WAITS = [300, 1_000, 2_000, 4_000, 8_000, 16_000];
const SILENCE = 45_000;

/**
 * Says something and gives the events of the reply as they come, through broken connections, up to `message_stop`.
 * After a reconnection nothing is lost and nothing comes twice; a second `message_start` means another, newer reply.
 * @throws FoyerError when the server refuses, or the reply can no longer be followed
 */
export function streamChat(request: Request, body: ChatRequest, options: StreamOptions = {}) {
  const post = () => request("/chat", { method: "POST", body: { ...body, resumable: true }, signal: options.signal });
  return follow(request, post, null, "", options);
}

/** Follows the newest reply of a conversation: from its beginning, or from after an event on. */
export function resumeChat(
  request: Request,
  conversation: ConversationKey,
  { lastEventId = "", ...options }: StreamOptions & { lastEventId?: string } = {},
) {
  const open = () => openStream(request, conversation, lastEventId, options.signal);
  return follow(request, open, conversation, lastEventId, options);
}

/** Ends the running reply. What was said so far is kept. */
export async function stopChat(request: Request, { id, token }: ConversationKey): Promise<void> {
  await request(`/chat/${id}/stop`, { method: "POST", token });
}

async function* follow(
  request: Request,
  open: () => Promise<Response>,
  known: ConversationKey | null,
  firstEventId: string,
  { signal, onReconnect, waits = WAITS, silence = SILENCE }: StreamOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
  let conversation = known;
  let lastEventId = firstEventId;
  let attempts = 0;
  let connect = open;
  while (!signal?.aborted) {
    try {
      for await (const { id, data } of readEvents(await connect(), silence)) {
        const event = JSON.parse(data) as ChatEvent;
        lastEventId = id;
        attempts = 0;
        if (event.type === "message_start") {
          conversation = { id: event.conversationId, token: event.conversationToken };
        }
        yield event;
        if (event.type === "message_stop") return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const isFinal = error instanceof FoyerError && !error.isTemporary;
      if (!conversation || isFinal) throw error;
    }
    const wait = waits[attempts++];
    if (wait === undefined || !conversation) throw interrupted();
    onReconnect?.();
    await delay(wait, signal);
    const key = conversation;
    connect = () => openStream(request, key, lastEventId, signal);
  }
}

function openStream(
  request: Request,
  { id, token }: ConversationKey,
  lastEventId: string,
  signal: AbortSignal | undefined,
) {
  return request(`/chat/${id}/stream`, {
    token,
    signal,
    headers: lastEventId ? { "last-event-id": lastEventId } : {},
  });
}

async function* readEvents({ body }: Response, silence: number): AsyncGenerator<ServerEvent> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parse = createSseParser();
  try {
    for (;;) {
      const { value, done } = await orSilence(reader.read(), silence);
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A dead connection often says nothing at all. */
function orSilence<T>(next: Promise<T>, silence: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(interrupted()), silence);
    next.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Ends early when the browser says that the network is back, or when nobody waits any more. */
function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    globalThis.addEventListener?.("online", done);
    signal?.addEventListener("abort", done);
  });
}

const interrupted = () => new FoyerError("INTERRUPTED", "The connection was lost. What was said is kept.");

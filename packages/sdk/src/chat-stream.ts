import type { ChatEvent, ChatRequest } from "@foyer/contract";
import { delay, interruptedError, readEvents } from "./event-reader.ts";
import { FoyerError } from "./foyer-error.ts";
import type { Request } from "./request.ts";

/** Gives access to one conversation. `message_start` contains both values. Store them to continue after a reload. */
export type ConversationKey = { id: string; token: string };

/** An event of a reply. `eventId` is its position: pass the last one to `resume` to continue right after it. */
export type StreamEvent = ChatEvent & { eventId: string };

export type StreamOptions = {
  /** Ends the iteration without an error when it aborts. The server continues to generate the reply for 30 s. */
  signal?: AbortSignal;
  /** Called each time the connection is lost, before the SDK reconnects. */
  onReconnect?: () => void;
  /** Called every 2 s while the model thinks: before the first word of a reply, and between its steps. */
  onThinking?: () => void;
  /** The delays before each attempt to reconnect, in milliseconds. */
  waits?: readonly number[];
  /** Milliseconds without any data after which a connection counts as dead. The server sends a comment every 15 s. */
  silence?: number;
};

/** The sum of the delays is slightly longer than the server keeps a reply running without a reader. */
const WAITS = [300, 1_000, 2_000, 4_000, 8_000, 16_000];
const SILENCE = 45_000;

/**
 * Sends a message and yields the events of the reply up to `message_stop`. Reconnects when the connection breaks,
 * without losing or repeating an event. A second `message_start` means that a newer reply has replaced this one.
 * `token` is the conversation's own: a conversation that belongs to a visitor cannot be continued without it.
 * @throws FoyerError when the server refuses the message, or the stream broke and could not be resumed
 */
export function streamChat(
  request: Request,
  body: ChatRequest,
  { token, ...options }: StreamOptions & { token?: string | undefined } = {},
) {
  const send = { method: "POST" as const, body: { ...body, resumable: true }, token, signal: options.signal };
  return follow(request, { ...options, token, open: () => request("/chat", send) });
}

/**
 * Yields the events of a conversation's newest reply, running or finished.
 * @param lastEventId the `eventId` of the last event that you have; all events without it
 */
export function resumeChat(
  request: Request,
  conversation: ConversationKey,
  options: StreamOptions & { lastEventId?: string } = {},
) {
  const open = () => openStream(request, conversation, options);
  return follow(request, { ...options, token: conversation.token, open, conversation });
}

/** Stops the running reply. The text generated so far is stored. */
export async function stopChat(request: Request, { id, token }: ConversationKey): Promise<void> {
  await request(`/chat/${id}/stop`, { method: "POST", token });
}

type Followed = StreamOptions & {
  open: () => Promise<Response>;
  conversation?: ConversationKey;
  token: string | undefined;
  lastEventId?: string;
};

async function* follow(
  request: Request,
  {
    open,
    conversation: known,
    token,
    signal,
    onReconnect,
    onThinking,
    waits = WAITS,
    silence = SILENCE,
    lastEventId: first = "",
  }: Followed,
): AsyncGenerator<StreamEvent, void, undefined> {
  let conversation = known;
  let lastEventId = first;
  let attempts = 0;
  let connect = open;
  while (!signal?.aborted) {
    try {
      for await (const { id, data } of readEvents(await connect(), silence, { onThinking })) {
        const event: StreamEvent = Object.assign(JSON.parse(data) as ChatEvent, { eventId: id });
        lastEventId = id;
        attempts = 0;
        if (event.type === "message_start") {
          // The holder of an email's link gets no other token. A conversation that was continued by its id alone has
          // none, so its reply cannot be resumed.
          const ownToken = event.conversationToken ?? token;
          conversation = ownToken ? { id: event.conversationId, token: ownToken } : undefined;
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
    if (wait === undefined || !conversation) throw interruptedError();
    onReconnect?.();
    await delay(wait, signal);
    const key = conversation;
    connect = () => openStream(request, key, { lastEventId, signal });
  }
}

function openStream(
  request: Request,
  { id, token }: ConversationKey,
  { lastEventId, signal }: { lastEventId?: string; signal?: AbortSignal | undefined },
) {
  return request(`/chat/${id}/stream`, {
    token,
    signal,
    headers: lastEventId ? { "last-event-id": lastEventId } : {},
  });
}

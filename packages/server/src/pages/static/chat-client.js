import { createEventParser } from "./event-parser.js";

/** The waits before each attempt to reconnect, in milliseconds; together a little more than a reply waits for a reader. */
const RECONNECT_WAITS = [300, 1_000, 2_000, 4_000, 8_000, 16_000];
/** The server says something every 15 s; three times that is silence. */
const SILENCE = 45_000;

/** Why something did not work, in words for the visitor. `isFinal`: trying the same again at once is of no use. */
export class ChatFailure extends Error {
  constructor(message, { isFinal, status = 0 }) {
    super(message);
    this.isFinal = isFinal;
    this.status = status;
  }
}

/** Sends a message, or with `regenerate` asks for the last reply again. */
export function postMessage(body, signal) {
  return call("/chat", { method: "POST", body: { ...body, resumable: true }, signal });
}

/** Follows the newest reply of a conversation, from an event on or from its beginning. */
export function resumeReply({ id, token }, lastEventId, signal) {
  return call(`/chat/${id}/stream`, { token, signal, headers: lastEventId ? { "last-event-id": lastEventId } : {} });
}

export function stopReply({ id, token }) {
  return call(`/chat/${id}/stop`, { method: "POST", token });
}

export function rateMessage({ id, token }, messageId, rating) {
  return call(`/conversations/${id}/feedback`, { method: "POST", token, body: { messageId, rating } });
}

export async function loadMessages({ id, token }) {
  const response = await call(`/conversations/${id}`, { token });
  return (await response.json()).data.messages;
}

/**
 * Follows a reply to its end, through broken connections. `open` gives the first response; `onEvent` gets each event,
 * `onBreak` is told when the connection is lost. Resolves at the end, or when the signal aborts.
 * @throws ChatFailure when the reply cannot be followed
 */
export async function followReply(open, { onEvent, onBreak, signal }) {
  let conversation = null;
  let lastEventId = "";
  let isOver = false;
  let attempts = 0;
  const take = ({ id, data }) => {
    const event = JSON.parse(data);
    lastEventId = id;
    attempts = 0;
    if (event.type === "message_start") conversation = { id: event.conversationId, token: event.conversationToken };
    if (event.type === "message_stop") isOver = true;
    onEvent(event);
  };
  let next = () => open(signal);
  while (true) {
    try {
      await readEvents(await next(), take);
    } catch (failure) {
      if (signal.aborted) return;
      if (!conversation || failure.isFinal) throw failure;
    }
    if (isOver || signal.aborted) return;
    if (attempts >= RECONNECT_WAITS.length || !conversation) throw lost();
    onBreak();
    await waitToReconnect(RECONNECT_WAITS[attempts++], signal);
    next = () => resumeReply(conversation, lastEventId, signal);
  }
}

async function readEvents(response, onEvent) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parse = createEventParser(onEvent);
  try {
    for (let part = await readSome(reader); !part.done; part = await readSome(reader)) parse(part.value);
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The next part, or a failure when nothing comes for too long: a dead connection often says nothing. */
function readSome(reader) {
  const silence = Promise.withResolvers();
  const timer = setTimeout(() => silence.reject(lost()), SILENCE);
  return Promise.race([reader.read(), silence.promise]).finally(() => clearTimeout(timer));
}

/** At once when the browser says that the network is back. */
function waitToReconnect(milliseconds, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}

async function call(path, { method = "GET", token, body, headers = {}, signal = null }) {
  const response = await window
    .fetch(path, {
      method,
      signal,
      credentials: "omit",
      headers: {
        ...headers,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    .catch(() => {
      throw new ChatFailure("The server could not be reached. Check the connection, then try again.", {
        isFinal: false,
      });
    });
  if (response.ok) return response;
  const { status } = response;
  const answer = await response.json().catch(() => null);
  const message = answer?.error?.message ?? `The server answered with an error (${status}). Try again in a moment.`;
  throw new ChatFailure(message, { isFinal: status < 500 && status !== 408 && status !== 429, status });
}

function lost() {
  return new ChatFailure("The connection was lost. Check it, then try again: the rest of the reply is kept.", {
    isFinal: false,
  });
}

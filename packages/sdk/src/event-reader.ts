import { FoyerError } from "./foyer-error.ts";
import { createSseParser, type ServerEvent, type SseListeners } from "./sse-parser.ts";

/** The interval at which a silent connection is checked, in milliseconds. */
const CHECK_MS = 5_000;

/**
 * Yields the events of a response until the server ends it.
 * @param silence milliseconds without any data after which the connection counts as dead
 * @throws FoyerError `INTERRUPTED` when the connection is dead, or what reading it throws
 */
export async function* readEvents(
  response: Response,
  silence: number,
  listeners?: SseListeners,
): AsyncGenerator<ServerEvent> {
  const parse = createSseParser(listeners);
  // A page may have replaced `fetch` by one that cannot stream. Its events arrive together, at the end.
  if (typeof response.body?.getReader !== "function") return yield* parse(await response.text());
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { value, done } = await raceSilence(reader.read(), silence);
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    void drain(reader);
  }
}

/**
 * Reads a stream to its end, which comes right after the last event. If the stream were canceled here, the browser's
 * network panel would show a failed request. After a second, the stream is canceled anyway.
 */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), 1_000);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection is already closed.
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A dead connection often produces no error, so silence has to count as one. The wall clock is compared repeatedly,
 * because timers stop while a computer sleeps, and its connections are dead when it wakes up. A browser that goes
 * offline does not report it to the connections that are open.
 */
function raceSilence<T>(next: Promise<T>, silence: number): Promise<T> {
  const deadAt = Date.now() + silence;
  return new Promise((resolve, reject) => {
    const fail = () => reject(interruptedError());
    const timer = setInterval(() => Date.now() >= deadAt && fail(), Math.min(silence, CHECK_MS));
    globalThis.addEventListener?.("offline", fail);
    next.then(resolve, reject).finally(() => {
      clearInterval(timer);
      globalThis.removeEventListener?.("offline", fail);
    });
  });
}

/** Resolves early when the browser reports that the network is back, or when the caller aborts. */
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    globalThis.addEventListener?.("online", done);
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done);
  });
}

export const interruptedError = () =>
  new FoyerError("INTERRUPTED", "The connection was lost. The text received so far is stored on the server.");

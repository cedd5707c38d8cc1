import { setImmediate as nextTurn } from "node:timers/promises";

/** Work in the background waits at most this long each time, so that it also continues while a chat is always starting. */
const MAX_WAIT_MS = 50;

/** Of the whole process, because its servers share the event loop. */
let starting = 0;
const waiting = new Set<() => void>();

/** Runs what leads from a visitor's request to the call of the model. Ingestion pauses meanwhile. */
export async function whileReplyStarts<T>(work: () => Promise<T>): Promise<T> {
  starting++;
  try {
    return await work();
  } finally {
    starting--;
    if (starting === 0) for (const resume of waiting) resume();
  }
}

/**
 * Resolves once no reply is starting. Call it before background work that writes: on SQLite, every commit holds the event
 * loop until the disk has it, and a visitor's first token would wait behind a queue of them.
 */
export async function afterStartingReplies(): Promise<void> {
  if (starting === 0) return nextTurn();
  await new Promise<void>((resolve) => {
    const resume = () => {
      clearTimeout(timer);
      waiting.delete(resume);
      resolve();
    };
    const timer = setTimeout(resume, MAX_WAIT_MS);
    waiting.add(resume);
  });
}

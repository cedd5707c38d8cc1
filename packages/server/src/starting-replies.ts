import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * The longest time for which background work waits at once, so that it also makes progress while chats start
 * continuously.
 */
const MAX_WAIT_MS = 50;

/** For the whole process, because all of its servers share the event loop. */
let starting = 0;
const waiting = new Set<() => void>();

/** Runs the work from a visitor's request to the call of the model. Ingestion pauses in the meantime. */
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
 * Resolves once no reply is starting. Call it before background work that writes: on SQLite, all statements share the
 * event loop and one connection, and a visitor's first token would wait for many of them.
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

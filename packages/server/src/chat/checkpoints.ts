import type { Logger } from "pino";
import { toColumns } from "../conversations/message-pieces.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { RunningReply } from "./running-reply.ts";

const EVERY_MS = 1_000;
/** At most so many a second, so that thousands of streams do not hold up each other. */
const AT_ONCE = 500;
/** A reply that says nothing still gives a sign of life. */
const SIGN_OF_LIFE_MS = 10_000;

/** A running reply, and what of it was saved when. */
export type Tracked = { reply: RunningReply; savedAt: number; savedLength: number };

/**
 * Saves running replies once a second, so that little is lost if the process dies, and ends those that were asked to end
 * in another process (`isShared`: there are others). Returns how to stop, which waits for the last save.
 */
export function startCheckpoints(store: ReplyStore, log: Logger, isShared: boolean, tracked: () => Tracked[]) {
  let saving: Promise<void> | undefined;
  const timer = setInterval(() => {
    saving ??= saveDue()
      .then(endAsked)
      .finally(() => {
        saving = undefined;
      });
  }, EVERY_MS).unref();

  /** Keeps what was said since the last time; a reply that another process was asked to end ends here. */
  async function saveDue() {
    const now = Date.now();
    const due = tracked()
      .map((entry) => ({ entry, ...toColumns(entry.reply.pieces) }))
      .filter(
        ({ entry, content, pieces }) =>
          content.length + (pieces?.length ?? 0) !== entry.savedLength || now - entry.savedAt > SIGN_OF_LIFE_MS,
      )
      .sort((a, b) => a.entry.savedAt - b.entry.savedAt)
      .slice(0, AT_ONCE);
    if (due.length === 0) return;
    try {
      const states = due.map(({ entry, content, pieces }) => ({ id: entry.reply.messageId, content, pieces, now }));
      const stopped = await store.checkpoint(states);
      for (const { entry, content, pieces } of due) {
        entry.savedAt = now;
        entry.savedLength = content.length + (pieces?.length ?? 0);
        if (stopped.has(entry.reply.messageId)) entry.reply.abort();
      }
    } catch (error) {
      log.warn({ err: error }, "running replies were not saved; trying again in a second");
    }
  }

  /** A silent reply is not saved each second, but must end at once all the same. */
  async function endAsked() {
    if (!isShared || tracked().length === 0) return;
    const running = tracked().map(({ reply }) => reply);
    try {
      const asked = await store.stopRequested(running.map(({ messageId }) => messageId));
      for (const reply of running) if (asked.has(reply.messageId)) reply.abort();
    } catch (error) {
      log.warn({ err: error }, "whether replies should end is not known; trying again in a second");
    }
  }

  return async () => {
    clearInterval(timer);
    await saving;
  };
}

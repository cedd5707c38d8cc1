import type { Logger } from "pino";
import { toColumns } from "../conversations/message-pieces.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { RunningReply } from "./running-reply.ts";

const EVERY_MS = 1_000;
/**
 * A save writes the whole reply again. Up to this length it is saved each second; beyond, only once it has grown by an
 * eighth, or with the sign of life, so that what a reply writes in all stays within a few times its length.
 */
const SHORT_LENGTH = 16 * 1024;
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
      .filter((entry) => isDue(entry, now))
      .sort((a, b) => a.savedAt - b.savedAt)
      .slice(0, AT_ONCE)
      .map((entry) => ({ entry, length: entry.reply.room.taken, ...toColumns(entry.reply.pieces) }));
    if (due.length === 0) return;
    try {
      const states = due.map(({ entry, content, pieces }) => ({ id: entry.reply.messageId, content, pieces, now }));
      const stopped = await store.checkpoint(states);
      for (const { entry, length } of due) {
        entry.savedAt = now;
        entry.savedLength = length;
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

function isDue({ reply, savedAt, savedLength }: Tracked, now: number): boolean {
  if (now - savedAt > SIGN_OF_LIFE_MS) return true;
  const grown = reply.room.taken - savedLength;
  return grown > 0 && (savedLength <= SHORT_LENGTH || grown >= savedLength / 8);
}

import type { Logger } from "pino";
import type { ConversationLog } from "../../conversations/log/log.ts";
import type { StopRequest } from "../../conversations/log/replies.ts";
import { toColumns } from "../../conversations/message-pieces.ts";
import type { ReplyStore } from "../reply-store.ts";
import type { RunningReply } from "./running-reply.ts";

const EVERY_MS = 1_000;
/**
 * A checkpoint rewrites the whole reply. Replies up to this length are saved every second. Longer replies are saved
 * when they have grown by an eighth, or with the heartbeat, so that the total number of bytes written remains
 * proportional to the reply's length.
 */
const SHORT_LENGTH = 16 * 1024;
/** The maximum number of replies saved per second, so that thousands of streams do not delay each other. */
const AT_ONCE = 500;
/** How often a reply without new content is saved as a heartbeat. */
const HEARTBEAT_MS = 10_000;

/** What is stored of running replies, and whether they should stop. */
export type Progress = Pick<ReplyStore, "stopRequested"> & Pick<ConversationLog, "checkpoint">;

/** A running reply with the time and length of its last checkpoint. */
export type Tracked = { reply: RunningReply; savedAt: number; savedLength: number };

/**
 * Saves running replies every second, so that little is lost if the process dies, and stops replies that another
 * process asked to stop (`isShared`). Returns a function that ends this and waits for the last save.
 */
export function startCheckpoints(
  store: Progress,
  { log, isShared, tracked }: { log: Logger; isShared: boolean; tracked: () => Tracked[] },
) {
  let saving: Promise<void> | undefined;
  let asking: Promise<void> | undefined;
  const timer = setInterval(() => {
    saving ??= saveDue().finally(() => {
      saving = undefined;
    });
    // Run this independently of `saveDue`, which can take seconds, because a reply that is not confirmed in time holds
    // back its text.
    asking ??= endAsked().finally(() => {
      asking = undefined;
    });
  }, EVERY_MS).unref();

  /** Saves new content, and stops replies for which another process requested it. */
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
        stop(entry.reply, stopped.get(entry.reply.messageId));
      }
    } catch (error) {
      log.warn({ err: error }, "running replies could not be saved; retrying in a second");
    }
  }

  /** Check for stop requests separately, because a reply without new content is not saved every second. */
  async function endAsked() {
    if (!isShared || tracked().length === 0) return;
    try {
      await confirmReplies(
        store,
        tracked().map(({ reply }) => reply),
      );
    } catch (error) {
      log.warn({ err: error }, "stop requests could not be read; retrying in a second");
    }
  }

  return async () => {
    clearInterval(timer);
    await Promise.all([saving, asking]);
  };
}

/**
 * Reads whether these replies may continue. Stops those that may not, and lets the others send their held-back text.
 */
export async function confirmReplies(
  store: Pick<Progress, "stopRequested">,
  replies: readonly RunningReply[],
): Promise<void> {
  const askedAt = performance.now();
  const stopped = await store.stopRequested(replies.map(({ messageId }) => messageId));
  for (const reply of replies) {
    const how = stopped.get(reply.messageId);
    if (how === undefined) reply.confirm(askedAt);
    else stop(reply, how);
  }
}

function stop(reply: RunningReply, how: StopRequest | undefined): void {
  if (how === "hand over") reply.handOver();
  else if (how === "stop") reply.abort();
}

function isDue({ reply, savedAt, savedLength }: Tracked, now: number): boolean {
  if (now - savedAt > HEARTBEAT_MS) return true;
  const grown = reply.room.taken - savedLength;
  return grown > 0 && (savedLength <= SHORT_LENGTH || grown >= savedLength / 8);
}

import type { Logger } from "pino";
import { toColumns } from "../conversations/message-pieces.ts";
import { AppError } from "../errors.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { RunningReply } from "./running-reply.ts";

const CHECKPOINT_MS = 1_000;
/** At most so many a second, so that thousands of streams do not hold up each other. */
const CHECKPOINTS_AT_ONCE = 500;
/** A reply that says nothing still gives a sign of life. */
const SIGN_OF_LIFE_MS = 10_000;

type Entry = { reply: RunningReply; ip: string; savedAt: number; savedLength: number };

export type RunningReplies = ReturnType<typeof createRunningReplies>;

/** The replies that run in this process: at most one a conversation. */
export function createRunningReplies(
  store: ReplyStore,
  log: Logger,
  limits: { running: number; runningPerIp: number },
) {
  const entries = new Map<string, Entry>();
  const perIp = new Map<string, number>();
  let isDraining = false;
  let saving: Promise<void> | undefined;
  const timer = setInterval(() => {
    saving ??= saveDue().finally(() => {
      saving = undefined;
    });
  }, CHECKPOINT_MS).unref();

  /** Keeps what was said since the last time; a reply that another process was asked to end ends here. */
  async function saveDue() {
    const now = Date.now();
    const due = [...entries.values()]
      .map((entry) => ({ entry, ...toColumns(entry.reply.pieces) }))
      .filter(({ entry, content }) => content.length !== entry.savedLength || now - entry.savedAt > SIGN_OF_LIFE_MS)
      .sort((a, b) => a.entry.savedAt - b.entry.savedAt)
      .slice(0, CHECKPOINTS_AT_ONCE);
    if (due.length === 0) return;
    try {
      const states = due.map(({ entry, content, pieces }) => ({ id: entry.reply.messageId, content, pieces, now }));
      const stopped = await store.checkpoint(states);
      for (const { entry, content } of due) {
        entry.savedAt = now;
        entry.savedLength = content.length;
        if (stopped.has(entry.reply.messageId)) entry.reply.abort();
      }
    } catch (error) {
      log.warn({ err: error }, "running replies were not saved; trying again in a second");
    }
  }

  return {
    get: (conversationId: string) => entries.get(conversationId)?.reply,
    count: () => entries.size,
    /** @throws 503 while the server goes down or is full, 429 when the address has too many */
    checkRoom(ip: string | null) {
      if (isDraining)
        throw new AppError("OVERLOADED", "The server is restarting. Try again in a moment.", { retryAfter: 5 });
      if (limits.running > 0 && entries.size >= limits.running) {
        throw new AppError("OVERLOADED", "Too many replies are running. Try again in a moment.", { retryAfter: 5 });
      }
      if (ip !== null && limits.runningPerIp > 0 && (perIp.get(ip) ?? 0) >= limits.runningPerIp) {
        throw new AppError("RATE_LIMITED", "Too many replies are running for your address.", {
          retryAfter: 5,
          limit: limits.runningPerIp,
        });
      }
    },
    /** Ends a reply that still runs in the conversation and takes its place. */
    async add(reply: RunningReply, ip: string): Promise<void> {
      for (let other = entries.get(reply.conversationId); other; other = entries.get(reply.conversationId)) {
        other.reply.abort();
        await other.reply.done;
      }
      entries.set(reply.conversationId, { reply, ip, savedAt: Date.now(), savedLength: 0 });
      perIp.set(ip, (perIp.get(ip) ?? 0) + 1);
    },
    remove(reply: RunningReply): void {
      const entry = entries.get(reply.conversationId);
      if (entry?.reply !== reply) return;
      entries.delete(reply.conversationId);
      const left = (perIp.get(entry.ip) ?? 1) - 1;
      if (left > 0) perIp.set(entry.ip, left);
      else perIp.delete(entry.ip);
    },
    /** Takes no new replies; lets those that run end for `timeout` milliseconds, then aborts them. */
    async drain(timeout: number): Promise<void> {
      isDraining = true;
      const all = () => Promise.all([...entries.values()].map((entry) => entry.reply.done));
      const cutOff = setTimeout(() => {
        for (const entry of entries.values()) entry.reply.abort();
      }, timeout);
      while (entries.size > 0) await all();
      clearTimeout(cutOff);
      clearInterval(timer);
      await saving;
    },
  };
}

import { replyIsRunning } from "../../conversations/log/begin-turn.ts";
import type { ChangeListener } from "../../conversations/log/change.ts";
import { afterCommit } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { createFairPool, type Holder, type Release } from "../../pools/fair-pool.ts";
import type { ReplyStore } from "../reply-store.ts";
import { confirmReplies, type Tracked } from "./checkpoints.ts";
import type { RunningReply } from "./running-reply.ts";

type Entry = Tracked & { release: Release; isKept: boolean };

export type RunningReplies = ReturnType<typeof createRunningReplies>;

/** The replies that run in this process, at most one per conversation. */
export function createRunningReplies(
  store: Pick<ReplyStore, "stopRequested">,
  limits: { running: number; runningPerIp: number },
) {
  const entries = new Map<string, Entry>();
  const pool = createFairPool({
    name: "running_replies",
    size: limits.running,
    maxPerOwner: limits.running || Number.POSITIVE_INFINITY,
    // Most servers have one organization, which can use three quarters of the replies.
    freeFactor: 3,
    maxPerAddress: limits.runningPerIp,
    messages: {
      busy: "Too many replies are running. Try again in a moment.",
      address: "Too many replies are running for your address.",
    },
  });
  let isDraining = false;

  /** @throws 503 while the server is shutting down or at capacity, 429 when the IP address runs too many replies */
  function checkRoom(holder: Holder) {
    if (isDraining)
      throw new AppError("OVERLOADED", "The server is restarting. Try again in a moment.", { retryAfter: 5 });
    pool.checkRoom(holder);
  }

  function abort({ conversationId, agentId }: { conversationId?: string; agentId?: string }): void {
    for (const { reply } of entries.values()) {
      if (reply.conversationId === conversationId || reply.agentId === agentId) reply.abort();
    }
  }

  return {
    get: (conversationId: string) => entries.get(conversationId)?.reply,
    count: () => entries.size,
    /** The replies whose rows are stored, and may be saved. */
    listKept: (): Tracked[] => [...entries.values()].filter(({ isKept }) => isKept),
    checkRoom,
    /**
     * Registers the reply and stops a reply that is still running in the conversation.
     * @throws 409 when another reply is running and must not be replaced
     */
    async add(reply: RunningReply, holder: Holder, { mayReplace = true } = {}): Promise<void> {
      if (!mayReplace && entries.has(reply.conversationId)) throw replyIsRunning();
      for (let other = entries.get(reply.conversationId); other; other = entries.get(reply.conversationId)) {
        other.reply.abort();
        await other.reply.done;
      }
      // Check again in the same turn of the event loop as the registration, because other replies may have been
      // registered in the meantime.
      checkRoom(holder);
      const release = pool.enter(holder);
      entries.set(reply.conversationId, { reply, release, isKept: false, savedAt: Date.now(), savedLength: 0 });
    },
    /**
     * Marks the reply as stored. Until then, a missing row does not mean that it was deleted.
     * @param since when storing the reply began, by `performance.now()`
     */
    kept(reply: RunningReply, since: number): void {
      const entry = entries.get(reply.conversationId);
      if (entry?.reply === reply) entry.isKept = true;
      reply.confirm(since);
    },
    /** Lets the reply send its held-back text if the agent still has the conversation. */
    async confirm(reply: RunningReply): Promise<void> {
      if (reply.isHolding) await confirmReplies(store, [reply]);
    },
    /** Aborts the reply of a conversation, or all replies of an agent. */
    abort,
    /** Aborts the replies of conversations that were erased or moved to the trash. */
    listener: (async (trx, changes) => {
      for (const { kind, conversationId } of changes) {
        if (kind === "erased" || kind === "trashed") afterCommit(trx, () => abort({ conversationId }));
      }
    }) satisfies ChangeListener,
    remove(reply: RunningReply): void {
      const entry = entries.get(reply.conversationId);
      if (entry?.reply !== reply) return;
      entries.delete(reply.conversationId);
      entry.release();
    },
    /** Accepts no new replies, waits up to `timeout` milliseconds for running ones, and then aborts them. */
    async drain(timeout: number): Promise<void> {
      isDraining = true;
      const waitForAll = () => Promise.all([...entries.values()].map((entry) => entry.reply.done));
      const cutOff = setTimeout(() => {
        for (const entry of entries.values()) entry.reply.abort();
      }, timeout);
      while (entries.size > 0) await waitForAll();
      clearTimeout(cutOff);
    },
  };
}

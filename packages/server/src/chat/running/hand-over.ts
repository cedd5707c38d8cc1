import { setTimeout as wait } from "node:timers/promises";
import type { ConversationLog } from "../../conversations/log/log.ts";
import type { Deps } from "../../deps.ts";
import { LEASE_MS } from "./reply-gate.ts";
import type { RunningReplies } from "./running-replies.ts";

/** The interval at which a reply in another process is checked while it is being stopped, in milliseconds. */
const POLL_MS = 50;
/**
 * The maximum time that a takeover waits for a reply of this process, in milliseconds. The reply may be in a call that
 * cannot be interrupted.
 */
const OWN_REPLY_MS = 2_000;

/**
 * Silences the agent when a person takes a conversation over. A takeover calls `stop`, then the log's `assign` in
 * its transaction, which ends the replies, and then `settle`, before it responds. After the response, no process sends any more text of the agent,
 * and after the transaction, none is stored.
 *
 * `stop` lets the running reply end and store what its visitor has seen. A reply that starts later, or does not stop,
 * is ended by the transaction. After that, its own process cannot store its end. In another process, the reply's own
 * gate stops sending text at most LEASE_MS after the transaction, see reply-gate.ts, and `settle` waits for that.
 */
export function createHandOver(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  log: Pick<ConversationLog, "requestHandOver">,
  replies: RunningReplies,
) {
  const isShared = databaseKind === "postgres";
  const running = (conversationIds: readonly string[]) =>
    db
      .selectFrom("messages")
      .select("id")
      .where("conversationId", "in", conversationIds)
      .where("role", "=", "assistant")
      .where("stopReason", "is", null);

  /** @returns the running replies of this process in these conversations, which send no more text */
  function silenceOwn(conversationIds: readonly string[]) {
    const own = conversationIds.flatMap((id) => replies.get(id) ?? []);
    for (const reply of own) reply.handOver();
    return own;
  }

  return {
    /** @returns the ids of replies of other processes that can no longer send text */
    async stop(conversationIds: readonly string[]): Promise<string[]> {
      const own = silenceOwn(conversationIds);
      if (own.length > 0) {
        const ends = Promise.all(own.map(({ done }) => done));
        await Promise.race([ends, wait(OWN_REPLY_MS, undefined, { ref: false })]);
      }
      if (!isShared) return [];
      const others = (await running(conversationIds).execute()).map(({ id }) => id);
      if (others.length === 0) return [];
      await log.requestHandOver(others);
      for (const end = performance.now() + LEASE_MS; performance.now() < end; await wait(POLL_MS)) {
        if ((await running(conversationIds).execute()).length === 0) break;
      }
      return others;
    },
    /** @param silent the result of `stop` @param ended the replies that `assign` ended */
    async settle(
      conversationIds: readonly string[],
      silent: readonly string[],
      ended: readonly string[],
    ): Promise<void> {
      const quiet = new Set([...silent, ...silenceOwn(conversationIds).map(({ messageId }) => messageId)]);
      const others = ended.filter((id) => !quiet.has(id));
      if (isShared && others.length > 0) await wait(LEASE_MS);
    },
  };
}

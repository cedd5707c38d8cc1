import { sql } from "kysely";
import { databaseNow } from "../../db/database-clock.ts";
import type { TeamChatRow } from "../../db/tables/team-chats.ts";
import type { Deps } from "../../deps.ts";
import { LeaseLostError } from "../../documents/leased-worker.ts";

/** A bot whose messages this process receives. `fence` identifies the lease. */
export type BotJob = TeamChatRow;
export type BotQueue = ReturnType<typeof createBotQueue>;

/** How long a lease on a bot lasts, in milliseconds. If the process crashes, another one takes over after this time. */
export const BOT_LEASE_MS = 30_000;

type State = Partial<
  Pick<TeamChatRow, "botName" | "chatTitle" | "hasTopics" | "state" | "problem" | "failures" | "chatId" | "cursor">
>;

/**
 * Creates the queue of the bots of enabled channels. Only one process at a time receives the messages of a bot. All
 * times come from the database's clock.
 */
export function createBotQueue({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const now = databaseNow(databaseKind);
  const fromNow = (ms: number) => sql<number>`${now} + cast(${ms} as bigint)`;
  const updateJob = ({ channelId, fence }: Pick<BotJob, "channelId" | "fence">) =>
    db.updateTable("teamChats").where("channelId", "=", channelId).where("fence", "=", fence);

  return {
    async claim(limit: number): Promise<BotJob[]> {
      const due = db
        .selectFrom("teamChats")
        .select("channelId")
        .where("dueAt", "<=", now)
        .orderBy("dueAt")
        .limit(limit)
        .$if(databaseKind === "postgres", (query) => query.forUpdate().skipLocked());
      return db
        .updateTable("teamChats")
        .set({ fence: sql`fence + 1`, dueAt: fromNow(BOT_LEASE_MS) })
        .where("channelId", "in", due)
        .returningAll()
        .execute();
    },
    async renew(job: BotJob): Promise<boolean> {
      const renewed = await updateJob(job)
        .set({ dueAt: fromNow(BOT_LEASE_MS) })
        .executeTakeFirst();
      return renewed.numUpdatedRows > 0n;
    },
    async release(job: BotJob, waitMs: number): Promise<void> {
      await updateJob(job)
        .set({ dueAt: fromNow(waitMs), fence: sql`fence + 1` })
        .execute();
    },
    /** Stores changes of the bot's state. @throws LeaseLostError when another process has leased the bot */
    async update(job: BotJob, state: State): Promise<void> {
      const updated = await updateJob(job).set(state).executeTakeFirst();
      if (updated.numUpdatedRows === 0n) throw new LeaseLostError();
    },
  };
}

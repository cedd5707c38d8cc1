import { sql } from "kysely";
import { databaseNow } from "../../db/database-clock.ts";
import type { TeamChatRow } from "../../db/team-chat-tables.ts";
import type { Deps } from "../../deps.ts";
import { LeaseLostError } from "../../documents/leased-worker.ts";

/** A bot whose messages this process receives. `fence` identifies the lease. */
export type BotJob = TeamChatRow;
export type BotQueue = ReturnType<typeof createBotQueue>;

/** If the process that receives a bot's messages ends unexpectedly, another one takes over after this time. */
export const BOT_LEASE_MS = 30_000;

type State = Partial<
  Pick<TeamChatRow, "botName" | "chatTitle" | "hasTopics" | "state" | "problem" | "failures" | "chatId" | "cursor">
>;

/**
 * A queue of the bots of enabled channels. The messages of each bot are received by one process. All times come from
 * the database's clock.
 */
export function createBotQueue({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const now = databaseNow(databaseKind);
  const later = (ms: number) => sql<number>`${now} + cast(${ms} as bigint)`;
  const ofJob = ({ channelId, fence }: Pick<BotJob, "channelId" | "fence">) =>
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
        .set({ fence: sql`fence + 1`, dueAt: later(BOT_LEASE_MS) })
        .where("channelId", "in", due)
        .returningAll()
        .execute();
    },
    async renew(job: BotJob): Promise<boolean> {
      const renewed = await ofJob(job)
        .set({ dueAt: later(BOT_LEASE_MS) })
        .executeTakeFirst();
      return renewed.numUpdatedRows > 0n;
    },
    async release(job: BotJob, waitMs: number): Promise<void> {
      await ofJob(job)
        .set({ dueAt: later(waitMs), fence: sql`fence + 1` })
        .execute();
    },
    /** Stores the state that the platform reported. @throws LeaseLostError when another process has the bot */
    async update(job: BotJob, state: State): Promise<void> {
      const updated = await ofJob(job).set(state).executeTakeFirst();
      if (updated.numUpdatedRows === 0n) throw new LeaseLostError();
    },
  };
}

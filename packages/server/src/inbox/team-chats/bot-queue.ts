import type { TeamChatRow } from "../../db/tables/team-chats.ts";
import type { Deps } from "../../deps.ts";
import { createLeasedQueue, LeaseLostError } from "../../jobs/leased-queue.ts";

/** A bot whose messages this process receives. `fence` identifies the lease. */
export type BotJob = TeamChatRow;
export type BotQueue = ReturnType<typeof createBotQueue>;

/** How long a lease on a bot lasts, in milliseconds. If the process crashes, another one takes over after this time. */
const BOT_LEASE_MS = 30_000;

type State = Partial<
  Pick<TeamChatRow, "botName" | "chatTitle" | "hasTopics" | "state" | "problem" | "failures" | "chatId" | "cursor">
>;

/**
 * Creates the queue of the bots of enabled channels. Only one process at a time receives the messages of a bot. All
 * times come from the database's clock.
 */
export function createBotQueue({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  return {
    ...createLeasedQueue({ db, databaseKind }, { table: "teamChats", key: ["channelId"], leaseMs: BOT_LEASE_MS }),
    /** Stores changes of the bot's state. @throws LeaseLostError when another process has leased the bot */
    async update(job: BotJob, state: State): Promise<void> {
      const updated = await db
        .updateTable("teamChats")
        .set(state)
        .where("channelId", "=", job.channelId)
        .where("fence", "=", job.fence)
        .executeTakeFirst();
      if (updated.numUpdatedRows === 0n) throw new LeaseLostError();
    },
  };
}

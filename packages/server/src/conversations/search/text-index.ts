import { HOUR_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { OpenDatabase } from "../../db/open.ts";
import { createTaskThread } from "../../db/sqlite/thread-tasks.ts";
import type { IndexReply, IndexRequest } from "./index-thread.ts";

/** How often new messages are indexed. Searches read the text of conversations that are not indexed yet. */
const EVERY_MS = 2 * MINUTE_MS;
/** A conversation is indexed once it has been silent for this long, so that most are indexed once. */
const SILENT_MS = MINUTE_MS;
/** A thread that takes longer is stuck. Indexing the conversations of an earlier version can take long. */
const TIMEOUT_MS = 6 * HOUR_MS;

export type ConversationTextIndex = ReturnType<typeof createConversationTextIndex>;

/** Keeps the index of conversations up to date in a thread, so that neither replies nor the event loop wait for it. */
export function createConversationTextIndex(
  { db, address }: Pick<OpenDatabase, "db" | "address">,
  log: Pick<Logger, "error">,
) {
  const module = new URL("./index-thread.ts", import.meta.url);
  const workerData = { address };
  const thread = createTaskThread<Omit<IndexRequest, "id">, IndexReply>({
    module,
    workerData,
    name: "conversation index",
  });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isClosed = false;

  /** Does not start a thread while there is nothing to index. */
  async function isNeeded(before: number): Promise<boolean> {
    const due = db
      .selectFrom("agents")
      .leftJoin("searchProgress", "searchProgress.agentId", "agents.id")
      .select("agents.id")
      .where(
        sql<boolean>`exists (select 1 from conversations where conversations."agentId" = agents.id
          and conversations."updatedAt" < ${before}
          and conversations."updatedAt" > coalesce("searchProgress"."updatedAt", 0))`,
      )
      .limit(1);
    return (await due.executeTakeFirst()) !== undefined;
  }

  async function index(before: number): Promise<void> {
    try {
      if (isClosed || !(await isNeeded(before))) return;
      const reply = await thread.run({ before }, TIMEOUT_MS);
      if (reply?.error !== undefined) throw new Error(reply.error);
    } catch (error) {
      // Searches stay complete and only become slower. The next run continues.
      if (!isClosed) log.error({ err: error }, "conversations could not be indexed for the search");
    }
  }

  return {
    start(): void {
      timer = setInterval(() => {
        running ??= index(Date.now() - SILENT_MS).finally(() => {
          running = null;
        });
      }, EVERY_MS).unref();
    },
    /** Indexes every conversation without a message since `before` (milliseconds). */
    index,
    async stop(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await thread.stop();
      await running;
    },
  };
}

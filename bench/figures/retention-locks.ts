import { setTimeout as wait } from "node:timers/promises";
import { openDatabase } from "../../packages/server/src/db/open.ts";
import { startPostgres } from "../../test/postgres-server.ts";
import { ms, type Row } from "../figure.ts";
import { fillPostgres } from "../fill-database.ts";
import { createAgentIn, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { quantile } from "../rounds.ts";

const CONVERSATIONS = 20_000;
const MESSAGES_EACH = 4;
const HOLD_LIMIT_MS = 50;
const TIMEOUT_MS = 600_000;
const CHECKED_EVERY_MS = 250;

/**
 * Deletes 20,000 expired conversations from PostgreSQL, which locks the rows that a transaction deletes until its
 * commit. Its log shows how long the rows are locked.
 */
export async function measureRetentionLocks(): Promise<Row[]> {
  using folder = temporaryFolder();
  const log: string[] = [];
  const { url, stop } = await startPostgres({ settings: statementLog, onLog: (part) => void log.push(part) });
  try {
    const agentId = await createAgentIn(folder.path, url);
    await fillPostgres(url, agentId, CONVERSATIONS, MESSAGES_EACH);
    const { db } = openDatabase({ kind: "postgres", url }, () => {});
    await db
      .updateTable("agents")
      .set({ retention: JSON.stringify({ conversations: 7 }) })
      .where("id", "=", agentId)
      .execute();
    const left = db.selectFrom("conversations").select("id").limit(1);
    const startedAt = performance.now();
    await using _foyer = await startFoyer({ dataDir: folder.path, databaseUrl: url });
    while (await left.executeTakeFirst()) {
      if (performance.now() - startedAt > TIMEOUT_MS) throw new Error("Some conversations are left.");
      await wait(CHECKED_EVERY_MS);
    }
    const elapsed = performance.now() - startedAt;
    await db.destroy();
    const held = locksHeldMs(log.join(""));
    const longest = Math.max(...held);
    const many = CONVERSATIONS.toLocaleString("en");
    const [typical, most] = [ms(quantile(held, 0.5)), ms(quantile(held, 0.99))];
    return [
      {
        figure: `Retention deletes ${many} conversations in ${ms(elapsed)}; longest of ${held.length} locks (p50 ${typical}, p99 ${most})`,
        measured: ms(longest),
        baseline: "-",
        ratio: "-",
        target: `<= ${ms(HOLD_LIMIT_MS)}`,
        isMet: longest <= HOLD_LIMIT_MS,
      },
    ];
  } finally {
    await stop();
  }
}

/** Has PostgreSQL write each statement with the time of its end, in seconds, and the process that ran it. */
const statementLog = {
  log_min_duration_statement: "0",
  log_parameter_max_length: "0",
  log_line_prefix: "%n %p ",
  fsync: "on",
  full_page_writes: "on",
};

/** For each transaction that deleted conversations, the time from its first deletion until the end of the commit. */
function locksHeldMs(log: string): number[] {
  const since = new Map<string, number>();
  const held: number[] = [];
  for (const [, end = "", process = "", duration = "", statement = ""] of log.matchAll(loggedStatement)) {
    const endMs = Number(end) * 1_000;
    if (statement.startsWith('delete from "conversations"')) {
      if (!since.has(process)) since.set(process, endMs - Number(duration));
      continue;
    }
    if (statement !== "commit" && statement !== "rollback") continue;
    const from = since.get(process);
    since.delete(process);
    if (from !== undefined && statement === "commit") held.push(endMs - from);
  }
  return held;
}

const loggedStatement = /^([\d.]+) (\d+) LOG: {2}duration: ([\d.]+) ms {2}(?:statement|execute \S+): (.*)$/gm;

import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openSqliteFile } from "../../packages/server/src/db/sqlite/file.ts";
import { ms, type Row } from "../figure.ts";
import { fillDatabase } from "../fill-database.ts";
import { createAgentIn, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";

const CONVERSATIONS = 100_000;
const MESSAGES_EACH = 4;
const HOLD_LIMIT_MS = 50;
const TIMEOUT_MS = 600_000;
const CHECKED_EVERY_MS = 250;

/** Deletes 100,000 expired conversations, which the server begins to do when it starts. */
export async function measureRetention(): Promise<Row[]> {
  using folder = temporaryFolder();
  const agentId = await createAgentIn(folder.path);
  fillDatabase(folder.path, agentId, CONVERSATIONS, MESSAGES_EACH);
  const database = openSqliteFile(join(folder.path, "foyer.sqlite"));
  database.prepare("update agents set retention = ? where id = ?").run(JSON.stringify({ conversations: 7 }), agentId);
  const counted = database.prepare("select count(*) from conversations").pluck();
  const holds = new URL("../../test/print-loop-holds.ts", import.meta.url);
  await using foyer = await startFoyer({ dataDir: folder.path, nodeOptions: [`--import=${holds.href}`] });
  // Resets the figure, which would otherwise include the start of the server.
  await foyer.ask("SIGUSR2");
  const [startedAt, before] = [performance.now(), Number(counted.get())];
  if (before < CONVERSATIONS / 2) throw new Error("Most conversations were deleted before the server was ready.");
  while (Number(counted.get()) > 0) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`${counted.get()} conversations are left.`);
    await wait(CHECKED_EVERY_MS);
  }
  const elapsed = performance.now() - startedAt;
  database.close();
  const [, json = "{}"] = /loop-held (.*)\n/.exec(await foyer.ask("SIGUSR2")) ?? [];
  const hold = JSON.parse(json) as { wall: number; cpu: number };
  const many = before.toLocaleString("en");
  return [
    {
      figure: `Retention deletes ${many} conversations in ${ms(elapsed)}; longest hold, CPU (${ms(hold.wall)} on the clock)`,
      measured: ms(hold.cpu),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(HOLD_LIMIT_MS)}`,
      isMet: hold.cpu <= HOLD_LIMIT_MS,
    },
  ];
}

import { join } from "node:path";
import { openSqliteFile } from "../../packages/server/src/db/sqlite/file.ts";
import { ms, type Row } from "../figure.ts";
import { fillDatabase } from "../fill-database.ts";
import { authorized, createAgentIn, type Foyer, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";

const CONVERSATIONS = 100_000;
const MESSAGES_EACH = 4;
/** Every hundredth conversation is the visitor's, so they are spread over the whole file. */
const SHARE = 100;
const LIMIT_MS = 2_000;
const HOLD_LIMIT_MS = 50;

/** Erases a visitor's 1,000 conversations among 100,000. */
export async function measureVisitorErasure(): Promise<Row[]> {
  using folder = temporaryFolder();
  await fill(folder.path);
  const holds = new URL("../../test/print-loop-holds.ts", import.meta.url);
  await using foyer = await startFoyer({ dataDir: folder.path, nodeOptions: [`--import=${holds.href}`] });
  // The first request of a server compiles the endpoint's schemas, which is not what this measures.
  await erase(foyer, "nobody");
  await foyer.ask("SIGUSR2");
  const startedAt = performance.now();
  const body = await erase(foyer, "visitor-7");
  const elapsed = performance.now() - startedAt;
  const erased = CONVERSATIONS / SHARE;
  if (!body.includes(`"conversations":${erased}`)) throw new Error(`Not everything was erased: ${body}`);
  const [, json = "{}"] = /loop-held (.*)\n/.exec(await foyer.ask("SIGUSR2")) ?? [];
  const hold = JSON.parse(json) as { wall: number; cpu: number };
  return [
    {
      figure: `Erasing ${erased.toLocaleString("en")} of ${CONVERSATIONS.toLocaleString("en")} conversations`,
      measured: ms(elapsed),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: elapsed <= LIMIT_MS,
    },
    {
      figure: `… longest hold of the event loop meanwhile, CPU (${ms(hold.wall)} on the clock)`,
      measured: ms(hold.cpu),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(HOLD_LIMIT_MS)}`,
      isMet: hold.cpu <= HOLD_LIMIT_MS,
    },
  ];
}

async function erase(foyer: Foyer, userId: string): Promise<string> {
  const response = await fetch(`${foyer.url}/visitors/erase`, {
    method: "POST",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ userId }),
  });
  return response.text();
}

async function fill(dataDir: string) {
  const agentId = await createAgentIn(dataDir);
  fillDatabase(dataDir, agentId, CONVERSATIONS, MESSAGES_EACH);
  const database = openSqliteFile(join(dataDir, "foyer.sqlite"));
  database
    .prepare(`update conversations set "userId" = 'visitor-7' where cast(substr(id, 6) as integer) % ? = 0`)
    .run(SHARE);
  database.close();
}

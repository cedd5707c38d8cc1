import { ms, type Row, times } from "../figure.ts";
import { fillDatabase } from "../fill-database.ts";
import { authorized, startFoyer } from "../foyer-process.ts";
import { cpuPerRequest } from "../http-load.ts";
import { temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";

const LIMIT = 1.5;
const load = { seconds: 3, headers: authorized };

/** CPU, because SQLite works within the process: a slower query is more CPU, and others' work is not in it. */
export async function listConversations(): Promise<Row[]> {
  using fullFolder = temporaryFolder();
  using smallFolder = temporaryFolder();
  const fullAgent = await fill(fullFolder.path, 1_000_000);
  const smallAgent = await fill(smallFolder.path, 1_000);
  await using full = await startFoyer({ dataDir: fullFolder.path });
  await using small = await startFoyer({ dataDir: smallFolder.path });
  const results = await alternate({
    subject: () => cpuPerRequest(full, `/conversations?agentId=${fullAgent}`, load),
    baseline: () => cpuPerRequest(small, `/conversations?agentId=${smallAgent}`, load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure: "CPU of the first page of 1,000,000 conversations",
      measured: ms(subject),
      baseline: `${ms(baseline)} (1,000)`,
      ratio: times(subject / baseline),
      target: `<= ${times(LIMIT)}`,
      isMet: subject / baseline <= LIMIT,
    },
  ];
}

async function fill(dataDir: string, conversations: number): Promise<string> {
  const agentId = await makeAgent(dataDir);
  fillDatabase(dataDir, agentId, conversations);
  return agentId;
}

async function makeAgent(dataDir: string): Promise<string> {
  await using foyer = await startFoyer({ dataDir });
  return await foyer.createAgent();
}

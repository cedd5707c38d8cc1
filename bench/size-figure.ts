import { ms, type Row, times } from "./figure.ts";
import { authorized, startFoyer } from "./foyer-process.ts";
import { cpuPerRequest } from "./http-load.ts";
import { temporaryFolder } from "./processes.ts";
import { alternate, median } from "./rounds.ts";

const LIMIT = 1.5;
const load = { seconds: 3, headers: authorized };

/**
 * Compares the cost of a request with 1,000,000 rows and with 1,000. It uses CPU time, because SQLite runs in the
 * process: a slower query takes more of it, and other processes do not count.
 * @param fill creates an agent with that many in an empty data directory, and returns its id
 */
export async function compareSizes(
  figure: string,
  path: (agentId: string) => string,
  fill: (dataDir: string, count: number) => Promise<string>,
): Promise<Row[]> {
  using fullFolder = temporaryFolder();
  using smallFolder = temporaryFolder();
  const fullAgent = await fill(fullFolder.path, 1_000_000);
  const smallAgent = await fill(smallFolder.path, 1_000);
  await using full = await startFoyer({ dataDir: fullFolder.path });
  await using small = await startFoyer({ dataDir: smallFolder.path });
  const results = await alternate({
    subject: () => cpuPerRequest(full, path(fullAgent), load),
    baseline: () => cpuPerRequest(small, path(smallAgent), load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure,
      measured: ms(subject),
      baseline: `${ms(baseline)} (1,000)`,
      ratio: times(subject / baseline),
      target: `<= ${times(LIMIT)}`,
      isMet: subject / baseline <= LIMIT,
    },
  ];
}

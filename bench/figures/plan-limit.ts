import { ms, type Row } from "../figure.ts";
import { authorized, startFoyer } from "../foyer-process.ts";
import { cpuPerRequest } from "../http-load.ts";
import { temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";

const LIMIT_MS = 0.02;
const load = { seconds: 3, headers: authorized };

/**
 * The cost of counting a call against its organization's plan: the same server with a limit that is never reached, and
 * without one.
 */
export async function measurePlanLimit(): Promise<Row[]> {
  using limitedData = temporaryFolder();
  using unlimitedData = temporaryFolder();
  await using limited = await startFoyer({
    dataDir: limitedData.path,
    env: { FOYER_LIMIT_API_PRO: "1000000000" },
  });
  await using unlimited = await startFoyer({ dataDir: unlimitedData.path });
  const results = await alternate({
    subject: () => cpuPerRequest(limited, "/agents", load),
    baseline: () => cpuPerRequest(unlimited, "/agents", load),
  });
  const [subject, baseline] = [median(results.subject), median(results.baseline)];
  return [
    {
      figure: "CPU of a call's count against its plan",
      measured: ms(subject),
      baseline: `${ms(baseline)} (without a limit)`,
      ratio: `+${ms(Math.max(0, subject - baseline))}`,
      target: `<= +${ms(LIMIT_MS)}`,
      isMet: subject - baseline <= LIMIT_MS,
    },
  ];
}

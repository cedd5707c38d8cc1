import { setTimeout as wait } from "node:timers/promises";
import { megabytes, ms, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { median, ROUNDS } from "../rounds.ts";

const LIMIT_START_MS = 1_500;
const LIMIT_BYTES = 150_000_000;
const IDLE_MS = 5_000;

/** The very first start with an empty folder, including migrations and the creation of the owner. */
export async function measureStartToReady(): Promise<Row[]> {
  const starts: number[] = [];
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    using folder = temporaryFolder();
    await using foyer = await startFoyer({ dataDir: folder.path });
    starts.push(foyer.startMs);
    await wait(IDLE_MS);
    sizes.push(foyer.rssBytes());
  }
  const start = median(starts);
  const size = median(sizes);
  return [
    {
      figure: "Start to ready",
      measured: ms(start),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(LIMIT_START_MS)}`,
      isMet: start <= LIMIT_START_MS,
    },
    {
      figure: "Idle memory",
      measured: megabytes(size),
      baseline: "-",
      ratio: "-",
      target: `<= ${megabytes(LIMIT_BYTES)}`,
      isMet: size <= LIMIT_BYTES,
    },
  ];
}

import { setTimeout as wait } from "node:timers/promises";
import { ms, type Row, times } from "../figure.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { median } from "../rounds.ts";
import { knowledgeShares } from "../shares/knowledge.ts";
import { outgoingShares } from "../shares/outgoing.ts";
import type { Share } from "../shares/share.ts";
import { readPool, signUp } from "../shares/tenant.ts";
import { visitorShares } from "../shares/visitors.ts";

const WARM_UP = 3;
const PROBES = 15;
const LIMIT = 2;
/** The time in which the greedy one takes its share, at least and at most. */
const SETTLE_MS = 2_000;
const TAKE_MS = 20_000;
const SHUTDOWN_MS = 100;

const env = {
  FOYER_OPEN_SIGNUP: "true",
  FOYER_DEFAULT_PLAN: "pro",
  FOYER_OUTBOUND_ALLOW: "127.0.0.1",
  FOYER_LIMIT_SESSION_PER_USER: "0",
  FOYER_LIMIT_CONFIRMATIONS_PER_ADDRESS: "0",
  FOYER_LIMIT_CONFIRMATIONS_PER_FORM: "0",
  FOYER_LIMIT_SUBMISSION_BYTES_PER_DAY: "0",
};

/**
 * For each shared resource, how long something takes for one organization or address while another one takes all of the
 * resource that it can, compared with before.
 */
export async function measureShares(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const share of [...outgoingShares, ...knowledgeShares, ...visitorShares]) {
    const row = await measure(share).catch((error: unknown) => failedRow(share, error));
    console.error(`${row.figure}: ${row.measured}, ${row.baseline}, ${row.ratio}`);
    rows.push(row);
  }
  return rows;
}

async function measure(share: Share): Promise<Row> {
  using folder = temporaryFolder();
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  const model = share.needsModel ? { upstreamUrl: upstream.url } : {};
  await using foyer = await startFoyer({ dataDir: folder.path, env: { ...env, ...share.env }, ...model });
  const quiet = await signUp(foyer, "quiet");
  const greedy = await signUp(foyer, "greedy");
  const { probe, attack } = await share.prepare({ foyer, quiet, greedy });
  let round = 0;
  const timeProbes = async (count: number) => {
    const durations: number[] = [];
    while (durations.length < count) {
      const startedAt = performance.now();
      await probe(round++);
      durations.push(performance.now() - startedAt);
    }
    return median(durations);
  };
  await timeProbes(WARM_UP);
  const before = await timeProbes(share.probes ?? PROBES);
  const abort = new AbortController();
  let failure: unknown = null;
  const attacking = attack(abort.signal).catch((error: unknown) => {
    failure ??= error;
  });
  await waitForShare(foyer, share);
  const during = await timeProbes(share.probes ?? PROBES);
  if (failure) throw failure;
  abort.abort();
  // Most of its requests only end with the server.
  await Promise.race([attacking, wait(SHUTDOWN_MS)]);
  return {
    figure: `${share.resource}, another one takes all it can`,
    measured: ms(during),
    baseline: `${ms(before)} (quiet)`,
    ratio: times(during / before),
    target: `<= ${times(LIMIT)}`,
    isMet: during / before <= LIMIT,
  };
}

/** One resource that cannot be measured does not prevent the others. */
function failedRow({ resource }: Share, error: unknown): Row {
  console.error(`${resource}: ${error instanceof Error ? error.message : error}`);
  return { figure: resource, measured: "failed", baseline: "-", ratio: "-", target: "-", isMet: false };
}

/** @throws when the greedy one does not get its share, because the measurement would then show nothing */
async function waitForShare(foyer: Foyer, { resource, pool, share = 1 }: Share): Promise<void> {
  await wait(SETTLE_MS);
  if (pool === undefined) return;
  let held = 0;
  for (const deadline = performance.now() + TAKE_MS; held < share; await wait(50)) {
    held = await readPool(foyer, pool, "largest_share");
    if (performance.now() > deadline) throw new Error(`${resource}: only ${held} of ${share} slots were taken.`);
  }
}

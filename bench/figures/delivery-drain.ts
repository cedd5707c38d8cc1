import { join } from "node:path";
import type { DatabaseAddress } from "../../packages/server/src/db/database-kind.ts";
import { startPostgres } from "../../test/postgres-server.ts";
import { ms, type Row } from "../figure.ts";
import { createForm, fillDueDeliveries } from "../form-setup.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { startReceiver } from "../receiver.ts";
import { median, ROUNDS } from "../rounds.ts";
import { treeCpuMs } from "../tree-cpu.ts";

const DUE = 10_000;
const LIMIT = { sqlite: 1_000, postgres: 2_500 };
const TIMEOUT_MS = 120_000;

/**
 * Due webhooks per second that reach a fast receiver, from the first to the last, and the CPU time that each costs
 * Foyer and the database. All become due at the same moment, while the servers run. A first round is discarded as
 * warm-up.
 */
export async function measureDeliveryDrain(): Promise<Row[]> {
  return [await drainSqlite(), await drainPostgres()];
}

async function drainSqlite(): Promise<Row> {
  using folder = temporaryFolder();
  const address = { kind: "sqlite", file: join(folder.path, "foyer.sqlite") } as const;
  await using foyer = await startFoyer({ dataDir: folder.path });
  return await measure("SQLite, one process", { address, foyers: [foyer], databaseCpuMs: () => 0 });
}

async function drainPostgres(): Promise<Row> {
  using folder = temporaryFolder();
  const { url, pid, stop } = await startPostgres();
  try {
    const options = { dataDir: folder.path, databaseUrl: url };
    await using first = await startFoyer(options);
    await using second = await startFoyer(options);
    const foyers = [first, second];
    const databaseCpuMs = () => treeCpuMs(pid());
    return await measure("PostgreSQL, two processes", { address: { kind: "postgres", url }, foyers, databaseCpuMs });
  } finally {
    await stop();
  }
}

type Measured = { address: DatabaseAddress; foyers: readonly Foyer[]; databaseCpuMs: () => number };

async function measure(where: string, { address, foyers, databaseCpuMs }: Measured): Promise<Row> {
  const [foyer] = foyers;
  if (!foyer) throw new Error("No server was started.");
  const toolId = await createForm(foyer.url, await foyer.createAgent(), "contact");
  const rates: number[] = [];
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await using receiver = await startReceiver();
    await fillDueDeliveries(address, toolId, `${receiver.url}/lead`, DUE);
    const cpuMs = () => foyers.reduce((sum, server) => sum + server.cpuMs(), databaseCpuMs());
    const before = cpuMs();
    const { firstAt, lastAt } = await receiver.hasTaken(DUE, TIMEOUT_MS);
    if (round === 0) continue;
    rates.push(DUE / ((lastAt - firstAt) / 1_000));
    costs.push((cpuMs() - before) / DUE);
  }
  const limit = LIMIT[address.kind];
  return {
    figure: `10,000 due deliveries, ${where}`,
    measured: `${Math.round(median(rates))} a second, ${ms(median(costs))} of CPU each`,
    baseline: "-",
    ratio: "-",
    target: `>= ${limit}`,
    isMet: median(rates) >= limit,
  };
}

import { join } from "node:path";
import type { DatabaseAddress } from "../../packages/server/src/db/open.ts";
import { startPostgres } from "../../test/postgres-server.ts";
import type { Row } from "../figure.ts";
import { createForm, fillDueDeliveries } from "../form-setup.ts";
import { startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { startReceiver } from "../receiver.ts";
import { median, ROUNDS } from "../rounds.ts";

const DUE = 10_000;
const LIMIT = 1_000;
const TIMEOUT_MS = 120_000;

/** Due webhooks per second that reach a fast receiver, measured from the first to the last. */
export async function deliveryDrain(): Promise<Row[]> {
  return [await drainSqlite(), await drainPostgres()];
}

async function drainSqlite(): Promise<Row> {
  using folder = temporaryFolder();
  const address = { kind: "sqlite", file: join(folder.path, "foyer.sqlite") } as const;
  return measure("SQLite, one process", address, { dataDir: folder.path }, 1);
}

async function drainPostgres(): Promise<Row> {
  using folder = temporaryFolder();
  const { url, stop } = await startPostgres();
  try {
    const options = { dataDir: folder.path, databaseUrl: url };
    return await measure("PostgreSQL, two processes", { kind: "postgres", url }, options, 2);
  } finally {
    await stop();
  }
}

type Options = { dataDir: string; databaseUrl?: string };

async function measure(where: string, address: DatabaseAddress, options: Options, processes: number): Promise<Row> {
  const toolId = await makeForm(options);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rates.push(await drain(toolId, address, options, processes));
  const rate = median(rates);
  return {
    figure: `10,000 due deliveries, ${where}`,
    measured: `${Math.round(rate)} a second`,
    baseline: "-",
    ratio: "-",
    target: `>= ${LIMIT}`,
    isMet: rate >= LIMIT,
  };
}

async function drain(toolId: string, address: DatabaseAddress, options: Options, processes: number): Promise<number> {
  await using receiver = await startReceiver();
  await fillDueDeliveries(address, toolId, `${receiver.url}/lead`, DUE);
  await using stack = new AsyncDisposableStack();
  for (let started = 0; started < processes; started++) stack.use(await startFoyer(options));
  const { firstAt, lastAt } = await receiver.hasTaken(DUE, TIMEOUT_MS);
  return DUE / ((lastAt - firstAt) / 1_000);
}

async function makeForm(options: Options): Promise<string> {
  await using foyer = await startFoyer(options);
  // Awaited here, because the server ends with this scope.
  return await createForm(foyer.url, await foyer.createAgent(), "contact");
}

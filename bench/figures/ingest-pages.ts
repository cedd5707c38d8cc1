import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../test/postgres-server.ts";
import { ms, type Row } from "../figure.ts";
import { authorized, type Foyer, startFoyer } from "../foyer-process.ts";
import { requestsPerSecond } from "../http-load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";
import { createUploads, pagesOf, waitUntilReady } from "../upload-pages.ts";

const PAGES = 200;
const ROUNDS = 3;
const goals = { SQLite: 100, PostgreSQL: 60 };

type Format = keyof typeof pagesOf;

/**
 * HTML and PDF pages per second from the first upload until all of them are searchable, compared with one Fastify route
 * with one durable insert, which shows what the disk and the other load on the machine allow.
 */
export async function measureIngestion(): Promise<Row[]> {
  using sqlite = temporaryFolder();
  using bareFolder = temporaryFolder();
  const folder = mkdtempSync(join(tmpdir(), "foyer-ingest-"));
  const server = await startPostgres();
  try {
    await using bare = await startScript(new URL("../baselines/durable-insert.ts", import.meta.url), bareFolder.path);
    const baseline = () =>
      requestsPerSecond(bare, "/form-submissions/submit", { seconds: 2, headers: {}, body: JSON.stringify({}) });
    return [
      ...(await measure("SQLite", { dataDir: sqlite.path }, baseline)),
      ...(await measure("PostgreSQL", { dataDir: folder, databaseUrl: server.url }, baseline)),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  name: keyof typeof goals,
  options: Parameters<typeof startFoyer>[0],
  baseline: () => Promise<number>,
): Promise<Row[]> {
  await using foyer = await startFoyer(options);
  return [
    await measureFormat(foyer, { name, format: "html", baseline }),
    await measureFormat(foyer, { name, format: "pdf", baseline }),
  ];
}

type Measurement = { name: keyof typeof goals; format: Format; baseline: () => Promise<number> };

async function measureFormat(foyer: Foyer, { name, format, baseline }: Measurement): Promise<Row> {
  const agentId = await foyer.createAgent();
  const uploads = createUploads(foyer.url, agentId, format);
  let cpuMs = 0;
  const subject = async () => {
    const startedAt = performance.now();
    const before = foyer.cpuMs();
    await uploads.send(PAGES / pagesOf[format]);
    await waitUntilReady(foyer.url, agentId, uploads.sent());
    cpuMs = (foyer.cpuMs() - before) / PAGES;
    return (PAGES * 1_000) / (performance.now() - startedAt);
  };
  const results = await alternate({ subject, baseline }, ROUNDS);
  await findLast(foyer, agentId, uploads.sent() - 1);
  const perSecond = median(results.subject);
  const inserts = median(results.baseline);
  const load = loadavg()[0]?.toFixed(1);
  return {
    figure: `${format.toUpperCase()} pages until searchable, ${name} (CPU ${ms(cpuMs)} a page, load ${load})`,
    measured: `${Math.round(perSecond)} a second`,
    baseline: `${Math.round(inserts)} (bare Fastify, one durable insert)`,
    ratio: `${((perSecond / inserts) * 100).toFixed(1)} %`,
    target: `>= ${goals[name]}`,
    isMet: perSecond >= goals[name],
  };
}

/** @throws when a search does not find the page that was uploaded last */
async function findLast(foyer: Foyer, agentId: string, page: number) {
  const response = await fetch(`${foyer.url}/documents/search`, {
    method: "POST",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ agentId, query: `page${page}` }),
  });
  const { hits } = (await response.json()) as { hits: Array<{ title: string }> };
  if (hits[0]?.title !== `page${page}`) throw new Error("The page that was uploaded last is not found.");
}

import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { megabytes, ms, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { median } from "../rounds.ts";
import { listChildren } from "../tree-cpu.ts";
import { createUploads, uploadPdf, waitUntilReady } from "../upload-pages.ts";

const ROUNDS = 3;
const DOCUMENTS = 200;
/** The maximum number of pages of a file. */
const PDF_PAGES = 2_000;
const IDLE_MS = 5_000;
const LIMIT_ADDED_BYTES = 5_000_000;
const LIMIT_CHILD_BYTES = 512 * 1024 * 1024;
const LIMIT_END_MS = 31_000;

/** The memory that documents cost an idle server, and the peak and lifetime of the process that reads files. */
export async function measureDocumentMemory(): Promise<Row[]> {
  using empty = temporaryFolder();
  using filled = temporaryFolder();
  const child = await fill(filled.path);
  const added: number[] = [];
  const without: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await idleBytes(empty.path);
    without.push(bare);
    added.push((await idleBytes(filled.path)) - bare);
  }
  return [
    {
      figure: `Idle memory added by ${DOCUMENTS} documents`,
      measured: megabytes(median(added)),
      baseline: `${megabytes(median(without))} (no documents)`,
      ratio: "-",
      target: `<= ${megabytes(LIMIT_ADDED_BYTES)}`,
      isMet: median(added) <= LIMIT_ADDED_BYTES,
    },
    {
      figure: `Peak memory of the process that reads files (a PDF of ${PDF_PAGES} pages)`,
      measured: megabytes(child.peakBytes),
      baseline: "-",
      ratio: "-",
      target: `<= ${megabytes(LIMIT_CHILD_BYTES)}`,
      isMet: child.peakBytes <= LIMIT_CHILD_BYTES,
    },
    {
      figure: "Time until the idle process has ended",
      measured: ms(child.endedAfterMs),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(LIMIT_END_MS)}`,
      isMet: child.endedAfterMs <= LIMIT_END_MS,
    },
  ];
}

/** Adds documents to a new server, and watches the process that reads their files until it has ended. */
async function fill(dataDir: string) {
  await using foyer = await startFoyer({ dataDir });
  const agentId = await foyer.createAgent();
  const uploads = createUploads(foyer.url, agentId);
  await uploads.send(DOCUMENTS - 1);
  await uploadPdf(foyer.url, { agentId, name: "manual", pages: PDF_PAGES });
  await waitUntilReady(foyer.url, agentId, DOCUMENTS);
  const readyAt = performance.now();
  const peakBytes = Math.max(...listChildren(foyer.pid).map(readPeak));
  while (listChildren(foyer.pid).length > 0 && performance.now() - readyAt < 2 * LIMIT_END_MS) await wait(100);
  return { peakBytes, endedAfterMs: performance.now() - readyAt };
}

async function idleBytes(dataDir: string): Promise<number> {
  await using foyer = await startFoyer({ dataDir });
  await wait(IDLE_MS);
  return foyer.rssBytes();
}

function readPeak(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

import { readFileSync, writeFileSync } from "node:fs";
import { createLargePng, tinyPictures } from "../../test/tiny-pictures.ts";
import { megabytes, ms, type Row } from "../figure.ts";
import { type Foyer, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";

const HOLD_LIMIT_MS = 20;
const MEMORY_LIMIT_BYTES = 64 * 1024 ** 2;
const UPLOADS = 5;
const SIZE = 10_000_000;

/** What visitors upload, the file itself, and the status of the response. */
const uploads: ReadonlyArray<{ name: string; file: Buffer; status: number }> = [
  { name: "A PNG of 100 megapixels", file: createLargePng(SIZE, { width: 10_000, height: 10_000 }), status: 400 },
  { name: "A PNG of 10 MB", file: createLargePng(SIZE), status: 201 },
  { name: "A JPEG of 10 MB", file: createLargeJpeg(), status: 201 },
  { name: "A text of 10 MB", file: Buffer.alloc(SIZE, "Harbour Bikes, opposite the ferry. "), status: 400 },
];

/** How long large uploads hold the event loop, and how much memory they add, on a server that has had none before. */
export async function measureLargeUploads(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, file, status } of uploads) {
    using folder = temporaryFolder();
    const holds = new URL("../../test/print-loop-holds.ts", import.meta.url);
    await using foyer = await startFoyer({ dataDir: folder.path, nodeOptions: [`--import=${holds.href}`] });
    const agentId = await foyer.createAgent();
    await foyer.allowAttachments(agentId);
    // The routes and the database have been used before.
    await upload(foyer, agentId, createLargePng(100), 201);
    let [longestHold, mostMemory] = [0, 0];
    for (let number = 0; number < UPLOADS; number++) {
      const before = foyer.rssBytes();
      resetPeak(foyer.pid);
      await foyer.ask("SIGUSR2");
      await upload(foyer, agentId, file, status);
      const [, json = "{}"] = /loop-held (.*)\n/.exec(await foyer.ask("SIGUSR2")) ?? [];
      const hold: { wall: number; cpu: number } = JSON.parse(json);
      longestHold = Math.max(longestHold, hold.cpu);
      mostMemory = Math.max(mostMemory, peakBytes(foyer.pid) - before);
    }
    rows.push(
      {
        figure: `${name}: longest hold of the event loop, CPU`,
        measured: ms(longestHold),
        baseline: "-",
        ratio: "-",
        target: `<= ${ms(HOLD_LIMIT_MS)}`,
        isMet: longestHold <= HOLD_LIMIT_MS,
      },
      {
        figure: `${name}: additional memory`,
        measured: megabytes(mostMemory),
        baseline: "-",
        ratio: "-",
        target: `<= ${megabytes(MEMORY_LIMIT_BYTES)}`,
        isMet: mostMemory <= MEMORY_LIMIT_BYTES,
      },
    );
  }
  return rows;
}

async function upload(foyer: Foyer, agentId: string, file: Buffer, status: number): Promise<void> {
  const query = new URLSearchParams({ agentId, sessionId: "visitor" });
  const response = await fetch(`${foyer.url}/chat/attachments?${query}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: new Uint8Array(file),
  });
  if (response.status !== status) throw new Error(`The upload got ${response.status}: ${await response.text()}`);
  await response.text();
}

/** A JPEG with that many bytes of compressed pixels. */
function createLargeJpeg(): Buffer {
  const jpeg = tinyPictures["image/jpeg"];
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(SIZE, 7), jpeg.subarray(-2)]);
}

/** Resets the kernel's record of the process's peak resident memory. */
const resetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, "5");

function peakBytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

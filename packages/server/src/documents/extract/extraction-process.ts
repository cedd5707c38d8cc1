import process from "node:process";
import { Worker } from "node:worker_threads";
import type { Faq } from "@foyer/contract";
import { prepareDocument } from "../search/prepare-document.ts";
import { cleanTitle } from "./clean-title.ts";
import { dropPrivileges } from "./drop-privileges.ts";
import { extract } from "./extract.ts";
import { ExtractionError } from "./extraction-error.ts";
import type { ExtractionJob, ExtractionMessage, ExtractionResult } from "./extraction-protocol.ts";
import type { SiteJob } from "./site-protocol.ts";
import { readableText, splitFaq, splitPassages } from "./split-passages.ts";
import { textParts } from "./text-parts.ts";

/**
 * The extraction process reads one file at a time. It has no access to the network, the database or the environment's
 * secrets. Its watchdog or its parent kills it when a file takes too much time or memory.
 */
const PROGRESS_MS = 200;
/** The number of chunks per message, which takes about 100 KB. */
const CHUNKS_AT_ONCE = 100;

let job: ExtractionJob | SiteJob | null = null;
let parts: Uint8Array[] = [];

const watchdog = new Worker(new URL("./watchdog-thread.ts", import.meta.url), { workerData: { parent: process.ppid } });
watchdog.unref();
dropPrivileges();

process.on("message", (message: ExtractionMessage) => {
  if (message.type === "start") {
    job = message.job;
    parts = [];
  } else if (message.type === "part") {
    parts.push(message.bytes);
  } else if (job) {
    const started = job;
    const bytes = Buffer.concat(parts);
    job = null;
    parts = [];
    void run(started, bytes);
  }
});
process.on("disconnect", () => process.exit(0));

async function run(started: ExtractionJob | SiteJob, bytes: Uint8Array): Promise<void> {
  // From now on, the parent expects progress reports.
  send({ type: "progress", done: 0, total: 0 });
  try {
    if (isSiteJob(started)) send({ type: "done", result: await readForSite(started, bytes) });
    else sendResult(await read(started, bytes));
  } catch (error) {
    send({ type: "failed", ...describe(error) });
  }
}

const isSiteJob = (started: ExtractionJob | SiteJob): started is SiteJob => "scope" in started;

async function readForSite(started: SiteJob, bytes: Uint8Array) {
  const { readSiteFile } = await import("./read-site-file.ts");
  return readSiteFile(started, bytes);
}

async function read(
  { kind, title, isUnnamed, declared, isStartPage, isIndexed }: ExtractionJob,
  bytes: Uint8Array,
): Promise<ExtractionResult> {
  if (kind === "faq") {
    const faq: Faq = JSON.parse(Buffer.from(bytes).toString());
    const prepared = prepareDocument({ title, languages: null, passages: splitFaq(faq) });
    const wordings = [faq.question, ...faq.otherWordings].join("\n");
    return {
      mimeType: "application/json",
      title,
      warnings: [],
      texts: [...textParts([`${wordings}\n\n${faq.answer}`])],
      prepared,
    };
  }
  const onProgress = createProgress();
  const {
    mimeType,
    title: ownTitle,
    blocks,
    warnings,
  } = await extract(bytes, onProgress, { declared, isStartPage }).catch((error: unknown) => {
    throw toExtractionError(error);
  });
  const name = (isUnnamed && ownTitle !== null && cleanTitle(ownTitle)) || title;
  const passages = isIndexed ? splitPassages(blocks) : [];
  const prepared = prepareDocument({ title: name, languages: null, passages, onProgress });
  return { mimeType, title: name, warnings, texts: [...textParts(readableText(blocks))], prepared };
}

/** Progress messages also serve as the heartbeat that the parent expects. */
function createProgress() {
  let last = 0;
  return (done: number, total: number) => {
    const now = Date.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    send({ type: "progress", done, total });
  };
}

/** Replaces a library's error with a message that helps the file's owner. */
function toExtractionError(error: unknown): ExtractionError {
  if (error instanceof ExtractionError) return error;
  const reason =
    error instanceof RangeError ? "Its structure is nested too deeply." : "It does not conform to its format.";
  return new ExtractionError(
    "DAMAGED",
    `The file could not be read. ${reason} Save it again, or save it in another format.`,
  );
}

function describe(error: unknown): { code: ExtractionError["code"]; message: string } {
  if (error instanceof ExtractionError) return { code: error.code, message: error.message };
  return { code: "INTERNAL", message: "The server could not index the text. Please report this and attach the file." };
}

function sendResult({ texts, prepared, ...rest }: ExtractionResult): void {
  const { chunks } = prepared;
  for (let start = 0; start < chunks.length; start += CHUNKS_AT_ONCE) {
    send({ type: "chunks", chunks: chunks.slice(start, start + CHUNKS_AT_ONCE) });
  }
  for (const text of texts) send({ type: "text", text });
  send({ type: "done", result: { ...rest, texts: [], prepared: { ...prepared, chunks: [] } } });
}

function send(message: ExtractionMessage): void {
  process.send?.(message);
}

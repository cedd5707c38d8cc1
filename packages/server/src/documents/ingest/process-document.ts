import type { DocumentRow } from "../../db/tables/documents.ts";
import { failpoint } from "../../failpoints.ts";
import type { RunJob } from "../../jobs/worker.ts";
import { ExtractionError } from "../extract/extraction-error.ts";
import type { Extractor } from "../extract/extractor.ts";
import type { FileStore } from "../file-store.ts";
import type { FetchPage } from "./fetch-page.ts";
import type { JobQueue, LeasedJob, Progress } from "./job-queue.ts";

/** Delays before an unreachable page is fetched again. After the last attempt, the document fails. */
const FETCH_RETRIES_MS = [10_000, 60_000];
/**
 * The maximum number of times a job is claimed. A job that was claimed more often has crashed its process several
 * times.
 */
const MAX_ATTEMPTS = 5;
/** The interval of progress reports, in milliseconds. Most documents are finished before their first report is due. */
const PROGRESS_MS = 500;

type Parts = {
  queue: JobQueue;
  files: FileStore;
  extractor: Extractor;
  fetchPage: FetchPage;
  /** Called after the index of an agent has changed. */
  onIndexed(agentId: string): void;
};

/** Processes one document, from its original to the search index. */
export function createDocumentProcessor(parts: Parts): RunJob<LeasedJob> {
  const { queue } = parts;
  return async (job, signal) => {
    const document = await queue.document(job);
    // The document was deleted, or changed again, in which case its job has a new fence.
    if (!document) return;
    failpoint("document.claimed");
    const progress = createProgress(queue, job);
    const task = { job, document, progress, signal };
    try {
      if (job.attempts > MAX_ATTEMPTS) throw internalError();
      const fetched = await withOriginal(parts, task);
      const result = await readOriginal(parts, { ...task, document: fetched });
      failpoint("document.extracted");
      progress.set("indexing");
      if (await queue.complete(job, result)) parts.onIndexed(job.agentId);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof ExtractionError)) throw error;
      const wait = error.code === "NOT_REACHABLE" ? FETCH_RETRIES_MS[job.attempts - 1] : undefined;
      if (wait === undefined) await queue.fail(job, error);
      else await queue.release(job, wait);
    } finally {
      progress.end();
    }
  };
}

type Task = { job: LeasedJob; document: DocumentRow; progress: ReturnType<typeof createProgress>; signal: AbortSignal };

/** Writes what the job is doing at intervals. If a report is lost, the next one includes its progress. */
function createProgress(queue: JobQueue, job: LeasedJob) {
  let latest: Progress | null = null;
  const timer = setInterval(() => {
    if (latest === null) return;
    queue.reportProgress(job, latest).catch(() => {});
    latest = null;
  }, PROGRESS_MS).unref();
  return {
    set(stage: Progress["stage"], done = 0, total = 0): void {
      latest = { stage, done, total };
    },
    end: () => clearInterval(timer),
  };
}

/** Returns the document with its original. A page is fetched and stored first. */
async function withOriginal({ queue, files, fetchPage }: Parts, { job, document, progress, signal }: Task) {
  if (document.fileId !== null || document.url === null) return document;
  progress.set("fetching");
  const { body, declared } = await fetchPage(document.url, document.organizationId, signal);
  const file = await files.receive(document, [body], declared);
  if (await queue.attachFile(job, file)) {
    return {
      ...document,
      fileId: file.id,
      bytes: file.bytes,
      charset: declared.charset,
      declaredFormat: declared.format,
    };
  }
  await files.deleteFile(file.id);
  throw new Error("The lease was lost.");
}

async function readOriginal({ queue, files, extractor }: Parts, { document, progress, signal }: Task) {
  progress.set("extracting");
  const { organizationId, kind, title, fileId, charset, declaredFormat, hasOwnTitle } = document;
  const declared = { charset, format: declaredFormat };
  const isStartPage = kind === "page" && (await queue.isStartPage(document));
  return extractor.extract(
    { organizationId, signal },
    {
      job: { kind, title, isUnnamed: kind === "page" && hasOwnTitle === 0, isStartPage, isIndexed: true, declared },
      parts: files.read(fileId ?? ""),
      onProgress: (done, total) => progress.set("extracting", done, total),
    },
  );
}

function internalError(): ExtractionError {
  return new ExtractionError(
    "INTERNAL",
    "The server failed to process this document several times. Retry it, or upload it in another format.",
  );
}

import { createFairPool } from "../../pools/fair-pool.ts";
import type { OnProgress } from "./extracted.ts";
import {
  createExtractionChild,
  type ExtractionChild,
  type ExtractionOutcome,
  type FileParts,
  type FileRequest,
} from "./extraction-child.ts";
import type { ExtractionJob, ExtractionResult } from "./extraction-protocol.ts";
import { createExtractionUsage } from "./extraction-usage.ts";
import type { SiteJob, SiteResult } from "./site-protocol.ts";

/** The maximum number of concurrent processes for files and pages. Each may use 432 MB. */
const MAX_FILE_PROCESSES = 2;
/** The number of processes for texts and FAQ entries, which need no parser of a file format. */
const TEXT_PROCESSES = 1;

const defaults = {
  /** for one file */
  timeoutMs: 60_000,
  /** without any progress */
  silenceMs: 10_000,
  /** an idle process ends after this time */
  idleMs: 30_000,
};

/**
 * The organization that a file is read for. Aborting `signal` frees its slot, whether the file is waiting or being
 * read.
 */
export type FileOwner = { organizationId: string; signal: AbortSignal };
export type Extractor = ReturnType<typeof createExtractor>;

/** Reads the files of one sync or preview. */
export type SiteReader = {
  /** @throws ExtractionError when the file cannot be read */
  readForSite<Kind extends SiteJob["kind"]>(
    job: SiteJob & { kind: Kind },
    parts?: FileParts,
  ): Promise<SiteResult[Kind]>;
};

/**
 * Reads files in separate processes, because a malicious file can use any amount of memory and time. For each
 * organization, one file is read at a time, and waiting organizations take turns. Organizations that have used much time
 * share one process for them, so their files do not delay those of others. Texts and FAQ entries have a process of their own.
 */
export function createExtractor(options: Partial<typeof defaults> = {}, usage = createExtractionUsage()) {
  const limits = { ...defaults, ...options };
  const closed = new AbortController();
  const files = createProcesses("file_extractions", MAX_FILE_PROCESSES, limits);
  const texts = createProcesses("text_extractions", TEXT_PROCESSES, limits);
  /** The turns of organizations that have used much time. */
  const heavy = createFairPool({ ...waiting, name: "heavy_extractions", size: 1 });

  async function read(owner: FileOwner, file: Omit<FileRequest, "signal">): Promise<ExtractionOutcome> {
    const { organizationId } = owner;
    const signal = AbortSignal.any([owner.signal, closed.signal]);
    const { kind } = file.job;
    const processes = kind === "text" || kind === "faq" ? texts : files;
    const run = () =>
      processes.run(organizationId, signal, (child) =>
        usage.measure(organizationId, () => child.read({ ...file, signal })),
      );
    return processes === files && usage.isHeavy(organizationId)
      ? heavy.run({ owner: organizationId }, run, signal)
      : run();
  }

  return {
    /** @throws ExtractionError when the file cannot be read, and the signal's reason after an abort */
    async extract(
      owner: FileOwner,
      file: { job: ExtractionJob; parts: FileParts; onProgress: OnProgress },
    ): Promise<ExtractionResult> {
      return (await read(owner, file)) as ExtractionResult;
    },
    /** Binds the crawler's jobs to the sync or preview that they belong to. */
    siteReader: (owner: FileOwner): SiteReader => ({
      async readForSite<Kind extends SiteJob["kind"]>(job: SiteJob & { kind: Kind }, parts: FileParts = []) {
        return (await read(owner, { job, parts, onProgress: () => {} })) as SiteResult[Kind];
      },
    }),
    /** Ends the processes. Files that are waiting or being read fail. */
    close(): void {
      closed.abort(new Error("The server is shutting down."));
      files.stop();
      texts.stop();
    },
    /** The ids of the running processes. */
    pids: (): number[] => [...files.pids(), ...texts.pids()],
  };
}

const waiting = { maxWaitingPerOwner: Number.POSITIVE_INFINITY };

/** Creates processes that read one file each, and the queues of the organizations that wait for them. */
function createProcesses(name: string, size: number, limits: typeof defaults) {
  const children = Array.from({ length: size }, () => createExtractionChild(limits));
  const pool = createFairPool({ ...waiting, name, size });
  const busy = new Set<ExtractionChild>();

  function takeChild(): ExtractionChild {
    const idle = children.filter((child) => !busy.has(child));
    // Reusing a running process saves memory and the time to start another one.
    const child = idle.find((candidate) => candidate.pid() !== undefined) ?? idle[0];
    if (!child) throw new Error("The pool has more slots than there are extraction processes.");
    busy.add(child);
    return child;
  }

  return {
    /** Runs `work` with an idle process. @throws the signal's reason when it is aborted before */
    run<T>(owner: string, signal: AbortSignal, work: (child: ExtractionChild) => Promise<T>): Promise<T> {
      const useChild = async () => {
        const child = takeChild();
        try {
          return await work(child);
        } finally {
          busy.delete(child);
        }
      };
      return pool.run({ owner }, useChild, signal);
    },
    stop(): void {
      for (const child of children) child.stop();
    },
    pids: (): number[] => children.flatMap((child) => child.pid() ?? []),
  };
}

import type { SiteJob, SiteResult } from "../sites/site-protocol.ts";
import type { OnProgress } from "./extracted.ts";
import {
  createExtractionChild,
  type ExtractionChild,
  type ExtractionOutcome,
  type FileParts,
  type FileRequest,
} from "./extraction-child.ts";
import type { ExtractionJob, ExtractionResult } from "./extraction-protocol.ts";

/**
 * The maximum number of concurrent processes. Each may use 432 MB. With two, a file that takes the whole minute it is
 * allowed does not block other organizations.
 */
const MAX_PROCESSES = 2;

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
type Waiting = FileRequest & { resolve(outcome: ExtractionOutcome): void; reject(error: unknown): void };

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
 * organization, one file is read at a time, and waiting organizations take turns. Slow files therefore delay only their
 * own organization, unless every process is reading a slow file of a different one.
 */
export function createExtractor(options: Partial<typeof defaults> = {}) {
  const limits = { ...defaults, ...options };
  const children = Array.from({ length: MAX_PROCESSES }, () => createExtractionChild(limits));
  const closed = new AbortController();
  /** the organization whose file each busy process reads */
  const busy = new Map<ExtractionChild, string>();
  /** the waiting files of each organization; the organization whose turn is next comes first */
  const queues = new Map<string, Waiting[]>();

  function takeIdleChild(): ExtractionChild | undefined {
    const idle = children.filter((child) => !busy.has(child));
    // Reusing a running process saves memory and the time to start another one.
    return idle.find((child) => child.pid() !== undefined) ?? idle[0];
  }

  function startNext(): void {
    for (const [organizationId, [next]] of queues) {
      const child = takeIdleChild();
      if (!child) return;
      if (!next || [...busy.values()].includes(organizationId)) continue;
      withdraw(organizationId, next);
      moveBack(organizationId);
      void run(child, organizationId, next);
    }
  }

  function withdraw(organizationId: string, file: Waiting): void {
    const left = queues.get(organizationId)?.filter((waiting) => waiting !== file) ?? [];
    if (left.length > 0) queues.set(organizationId, left);
    else queues.delete(organizationId);
  }

  function moveBack(organizationId: string): void {
    const waiting = queues.get(organizationId);
    if (!waiting) return;
    queues.delete(organizationId);
    queues.set(organizationId, waiting);
  }

  async function run(child: ExtractionChild, organizationId: string, file: Waiting): Promise<void> {
    busy.set(child, organizationId);
    try {
      file.resolve(await child.read(file));
    } catch (error) {
      file.reject(error);
    } finally {
      busy.delete(child);
      startNext();
    }
  }

  async function read(owner: FileOwner, file: Omit<FileRequest, "signal">): Promise<ExtractionOutcome> {
    const { organizationId } = owner;
    const signal = AbortSignal.any([owner.signal, closed.signal]);
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<ExtractionOutcome>();
    const waiting: Waiting = { ...file, signal, resolve, reject };
    const cancel = () => {
      withdraw(organizationId, waiting);
      reject(signal.reason);
    };
    signal.addEventListener("abort", cancel, { once: true });
    queues.set(organizationId, [...(queues.get(organizationId) ?? []), waiting]);
    startNext();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
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
      for (const child of children) child.stop();
    },
    /** The ids of the running processes. */
    pids: (): number[] => children.flatMap((child) => child.pid() ?? []),
  };
}

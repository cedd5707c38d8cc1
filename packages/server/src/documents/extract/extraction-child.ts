import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import type { ExtractionJob, ExtractionMessage, ExtractionResult } from "./extraction-protocol.ts";
import type { SiteJob, SiteResult } from "./site-protocol.ts";

export type FileParts = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
export type ExtractionOutcome = ExtractionResult | SiteResult[SiteJob["kind"]];

/** A file to read. Aborting `signal` ends the process, because nothing else interrupts it. */
export type FileRequest = {
  job: ExtractionJob | SiteJob;
  parts: FileParts;
  onProgress: OnProgress;
  signal: AbortSignal;
};

type ResultParts = { chunks: ExtractionResult["prepared"]["chunks"]; texts: ExtractionResult["texts"] };
/** The file that is being read, and the parts of its result received so far. */
type Current = ResultParts & { settle(outcome: ExtractionOutcome | Error): void; onProgress: OnProgress };

export type ExtractionChild = ReturnType<typeof createExtractionChild>;

/**
 * A process that reads one file at a time. It starts with its first file. It ends when a file exceeds a limit or is
 * canceled, and after it was idle for a while; the next file starts another process.
 */
export function createExtractionChild(limits: { timeoutMs: number; silenceMs: number; idleMs: number }) {
  let child: ChildProcess | null = null;
  let current: Current | null = null;
  let idle: NodeJS.Timeout | undefined;

  function start(): ChildProcess {
    const started = startProcess();
    started.on("message", (message: ExtractionMessage) => {
      if (child === started && current) receive(message, current);
    });
    const fail = (error: Error) => {
      if (child !== started) return;
      child = null;
      current?.settle(error);
    };
    started.on("error", fail);
    started.on("exit", (code, signal) => fail(exitError(code, signal)));
    return started;
  }

  function stop(): void {
    clearTimeout(idle);
    child?.kill("SIGKILL");
    child = null;
  }

  function giveUp(error: Error): void {
    stop();
    current?.settle(error);
  }

  async function readOnce({ job, parts, onProgress, signal }: FileRequest): Promise<ExtractionOutcome> {
    clearTimeout(idle);
    const running = child ?? start();
    child = running;
    running.ref();
    running.channel?.ref();
    const { promise, resolve } = Promise.withResolvers<ExtractionOutcome | Error>();
    // The silence timeout starts with the first message, because a process can take seconds to start on a busy
    // machine.
    let silence: NodeJS.Timeout | undefined;
    const deadline = setTimeout(() => giveUp(tooSlowError(limits.timeoutMs)), limits.timeoutMs);
    const cancel = () => giveUp(signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    current = {
      chunks: [],
      texts: [],
      settle: resolve,
      onProgress(done, total) {
        silence ??= setTimeout(() => giveUp(tooSlowError(limits.silenceMs)), limits.silenceMs);
        silence.refresh();
        onProgress(done, total);
      },
    };
    try {
      await sendFile(running, job, parts);
      const outcome = await promise;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    } catch (error) {
      // Sending to a process that has just ended also fails. The reason why the process ended is more informative.
      throw error instanceof ExtractionError || !running.killed ? error : await promise;
    } finally {
      clearTimeout(silence);
      clearTimeout(deadline);
      signal.removeEventListener("abort", cancel);
      current = null;
      child?.unref();
      child?.channel?.unref();
      idle = setTimeout(stop, limits.idleMs).unref();
    }
  }

  return {
    /** Reads a file. Call this again only after it has settled. */
    async read(request: FileRequest): Promise<ExtractionOutcome> {
      const isFresh = child === null;
      const parts = createRepeatable(request.parts);
      try {
        return await readOnce({ ...request, parts: parts() });
      } catch (error) {
        // The memory of the files before it may have been missing.
        const isOutOfMemory = error instanceof ExtractionError && error.code === "OUT_OF_MEMORY";
        if (isFresh || !isOutOfMemory || request.signal.aborted) throw error;
        return await readOnce({ ...request, parts: parts() });
      }
    },
    stop,
    /** The process id while the process runs. */
    pid: (): number | undefined => child?.pid,
  };
}

/** @returns a function that begins with the first part again each time */
function createRepeatable(parts: FileParts): () => AsyncIterable<Uint8Array> {
  const source = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
  const taken: Uint8Array[] = [];
  return async function* () {
    yield* taken;
    for (let next = await source.next(); !next.done; next = await source.next()) {
      taken.push(next.value);
      yield next.value;
    }
  };
}

function receive(message: ExtractionMessage, current: Current): void {
  if (message.type === "progress") current.onProgress(message.done, message.total);
  if (message.type === "chunks") current.chunks.push(...message.chunks);
  if (message.type === "text") current.texts.push(message.text);
  if (message.type === "done") current.settle(withParts(message.result, current));
  if (message.type === "failed") current.settle(new ExtractionError(message.code, message.message));
}

function withParts(result: ExtractionOutcome, { chunks, texts }: ResultParts): ExtractionOutcome {
  if (!("prepared" in result)) return result;
  return { ...result, texts, prepared: { ...result.prepared, chunks } };
}

/** The folders of the application's code. The data folder is often next to them. */
const codeFolders = ["node_modules", "packages"].map((folder) =>
  fileURLToPath(new URL(`../../../../../${folder}/`, import.meta.url)),
);

/**
 * The process parses hostile files, so it can read nothing but code: neither the data folder, nor other files of this
 * machine, nor the server's environment in `/proc`.
 */
export const sandboxFlags: readonly string[] = [
  "--max-old-space-size=256",
  "--permission",
  ...codeFolders.map((folder) => `--allow-fs-read=${folder}`),
  // For the watchdog, see `dropPrivileges`.
  "--allow-worker",
  // The permissions for files do not apply to node:sqlite, which reads and writes any database.
  "--no-experimental-sqlite",
  "--no-warnings",
];

/** The niceness of the process, so that a large file does not slow down the server. */
const LOW_PRIORITY = 10;

/**
 * Starts the process without environment variables, because it parses hostile files and must not be able to leak
 * secrets.
 */
function startProcess(): ChildProcess {
  const child = fork(new URL("./extraction-process.ts", import.meta.url), [], {
    serialization: "advanced",
    env: {},
    execArgv: [...sandboxFlags],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // Without an id, the process could not be started, which its error event reports.
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

/** A process that has ended has no priority. Its exit event reports why it ended. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch (error) {
    if (!(error instanceof Error && "info" in error && (error.info as { code?: string }).code === "ESRCH")) throw error;
  }
}

async function sendFile(child: ChildProcess, job: ExtractionJob | SiteJob, parts: FileParts): Promise<void> {
  await send(child, { type: "start", job });
  for await (const bytes of parts) await send(child, { type: "part", bytes });
  await send(child, { type: "end" });
}

async function send(child: ChildProcess, message: ExtractionMessage): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.send(message, (error) => (error ? reject(error) : resolve()));
  });
  await nextTurn();
}

function tooSlowError(ms: number): ExtractionError {
  return new ExtractionError(
    "TOO_SLOW",
    `Reading the file took longer than ${ms / 1_000} s. Split it into smaller files.`,
  );
}

/** Explains why the process exited. The watchdog kills it at the memory limit, and V8 aborts it at the heap limit. */
function exitError(code: number | null, signal: NodeJS.Signals | null): Error {
  if (signal === "SIGKILL" || signal === "SIGABRT" || signal === "SIGTRAP" || code === 134) {
    return new ExtractionError(
      "OUT_OF_MEMORY",
      "Reading the file exceeded the memory limit. Split it into smaller files.",
    );
  }
  return new Error(`The extraction process ended with ${signal ?? code}.`);
}

import { type ChildProcess, fork } from "node:child_process";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SiteJob, SiteResult } from "../sites/site-protocol.ts";
import type { OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import type { ExtractionJob, ExtractionMessage, ExtractionResult } from "./extraction-protocol.ts";

const defaults = {
  /** for one file */
  timeoutMs: 60_000,
  /** without any progress */
  silenceMs: 10_000,
  /** an idle process ends after this time */
  idleMs: 30_000,
};

type Parts = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
export type Extractor = ReturnType<typeof createExtractor>;
type Job = ExtractionJob | SiteJob;
type Result = ExtractionResult | SiteResult[SiteJob["kind"]];
type ResultParts = { chunks: ExtractionResult["prepared"]["chunks"]; texts: ExtractionResult["texts"] };
/** The file that is being read, and the parts of its result received so far. */
type Current = ResultParts & { settle(outcome: Result | Error): void; onProgress: OnProgress };

/**
 * Reads files one at a time in a separate process, because a hostile file can take any amount of memory and time. The
 * process starts with the first file. It ends when a file exceeds a limit, and after it was idle for a while.
 */
export function createExtractor(options: Partial<typeof defaults> = {}) {
  const limits = { ...defaults, ...options };
  let child: ChildProcess | null = null;
  let current: Current | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

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

  /** Kills the process, which cannot be interrupted in any other way. */
  function giveUp(error: Error): void {
    stop();
    current?.settle(error);
  }

  async function read(job: Job, parts: Parts, onProgress: OnProgress) {
    clearTimeout(idle);
    const running = child ?? start();
    child = running;
    running.ref();
    running.channel?.ref();
    const { promise, resolve } = Promise.withResolvers<Result | Error>();
    const silence = setTimeout(() => giveUp(tooSlow(limits.silenceMs)), limits.silenceMs);
    const deadline = setTimeout(() => giveUp(tooSlow(limits.timeoutMs)), limits.timeoutMs);
    current = {
      chunks: [],
      texts: [],
      settle: resolve,
      onProgress(done, total) {
        silence.refresh();
        onProgress(done, total);
      },
    };
    try {
      await sendFile(running, job, parts);
      silence.refresh();
      const outcome = await promise;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    } catch (error) {
      // Sending to a process that has just ended fails as well. The reason why it ended is more informative.
      throw error instanceof ExtractionError || !running.killed ? error : await promise;
    } finally {
      clearTimeout(silence);
      clearTimeout(deadline);
      current = null;
      child?.unref();
      child?.channel?.unref();
      idle = setTimeout(stop, limits.idleMs).unref();
    }
  }

  /** Reads a file after all earlier ones. The process responds to a job with the result type of its kind. */
  function enqueue(job: Job, parts: Parts, onProgress: OnProgress): Promise<Result> {
    const result = last.then(() => read(job, parts, onProgress));
    last = result.catch(() => {});
    return result;
  }

  return {
    /** @throws ExtractionError when the file cannot be read */
    async extract(job: ExtractionJob, parts: Parts, onProgress: OnProgress): Promise<ExtractionResult> {
      return (await enqueue(job, parts, onProgress)) as ExtractionResult;
    },
    /** Reads a file for the crawler. @throws ExtractionError when it cannot be read */
    async readForSite<Kind extends SiteJob["kind"]>(
      job: SiteJob & { kind: Kind },
      parts: Parts = [],
    ): Promise<SiteResult[Kind]> {
      return (await enqueue(job, parts, () => {})) as SiteResult[Kind];
    },
    /** Ends the process. A file that is being read fails. */
    close(): void {
      giveUp(new Error("The server is shutting down."));
    },
    /** The process id while the process runs. Used for measurements. */
    pid: (): number | undefined => child?.pid,
  };
}

function receive(message: ExtractionMessage, current: Current): void {
  if (message.type === "progress") current.onProgress(message.done, message.total);
  if (message.type === "chunks") current.chunks.push(...message.chunks);
  if (message.type === "text") current.texts.push(message.text);
  if (message.type === "done") current.settle(withParts(message.result, current));
  if (message.type === "failed") current.settle(new ExtractionError(message.code, message.message));
}

function withParts(result: Result, { chunks, texts }: ResultParts): Result {
  if (!("prepared" in result)) return result;
  return { ...result, texts, prepared: { ...result.prepared, chunks } };
}

/**
 * Starts the process without environment variables, because it parses hostile files and must not be able to leak
 * secrets.
 */
function startProcess(): ChildProcess {
  return fork(new URL("./extraction-process.ts", import.meta.url), [], {
    serialization: "advanced",
    env: {},
    execArgv: ["--max-old-space-size=256", "--permission", "--allow-fs-read=*", "--allow-worker", "--no-warnings"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

async function sendFile(child: ChildProcess, job: Job, parts: Parts): Promise<void> {
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

function tooSlow(ms: number): ExtractionError {
  return new ExtractionError(
    "TOO_SLOW",
    `Reading the file took longer than ${ms / 1_000} s. Split it into smaller files.`,
  );
}

/** Explains why the process ended. The watchdog kills it at the memory limit, and V8 aborts it at the heap limit. */
function exitError(code: number | null, signal: NodeJS.Signals | null): Error {
  if (signal === "SIGKILL" || signal === "SIGABRT" || signal === "SIGTRAP" || code === 134) {
    return new ExtractionError(
      "OUT_OF_MEMORY",
      "Reading the file exceeded the memory limit. Split it into smaller files.",
    );
  }
  return new Error(`The extraction process ended with ${signal ?? code}.`);
}

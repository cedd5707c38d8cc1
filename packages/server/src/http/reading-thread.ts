import { Worker } from "node:worker_threads";

/**
 * Bodies above this size are parsed in another thread, because parsing takes up to 10 ms per megabyte, and many times
 * that when the body has many names.
 */
export const LARGE_BODY_BYTES = 64 * 1024;
const THREAD_IDLE_MS = 30_000;

/**
 * Creates a reader of bodies whose thread starts on first use and ends after `THREAD_IDLE_MS` without work, so that it
 * uses no memory on an idle server. The thread receives `{ id, bytes }` with the options of each call.
 */
export function createReadingThread<Read, Options extends object>(module: URL) {
  const pendingReads = new Map<number, { resolve(read: Read): void; reject(error: Error): void }>();
  let worker: Worker | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start() {
    const started = new Worker(module);
    started.unref();
    started.on("message", ({ id, read }: { id: number; read: Read }) => {
      pendingReads.get(id)?.resolve(read);
      pendingReads.delete(id);
      if (pendingReads.size === 0) idleTimer = setTimeout(stop, THREAD_IDLE_MS).unref();
    });
    // A thread can exit without an error event, in which case pending reads must be rejected too.
    started.on("error", (error) => fail(started, error as Error));
    started.on("exit", (code) => fail(started, new Error(`The thread that reads bodies exited with code ${code}.`)));
    return started;
  }

  function fail(failedWorker: Worker, error: Error) {
    if (worker !== failedWorker) return;
    worker = null;
    for (const { reject } of pendingReads.values()) reject(error);
    pendingReads.clear();
  }

  async function stop() {
    const stopping = worker;
    worker = null;
    await stopping?.terminate();
  }

  return {
    read(body: Buffer, options: Options): Promise<Read> {
      clearTimeout(idleTimer);
      worker ??= start();
      const id = ++lastId;
      // Transfer the memory instead of copying it, unless it is part of Node's shared pool.
      const ownsBuffer = body.byteLength === body.buffer.byteLength;
      worker.postMessage({ ...options, id, bytes: body }, ownsBuffer ? [body.buffer as ArrayBuffer] : []);
      return new Promise((resolve, reject) => pendingReads.set(id, { resolve, reject }));
    },
    async stop() {
      clearTimeout(idleTimer);
      await stop();
    },
  };
}

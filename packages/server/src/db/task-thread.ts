import { Worker } from "node:worker_threads";

const IDLE_MS = 30_000;

type ThreadOptions = {
  /** The module that the thread runs. It answers each task with a message that has the task's `id`. */
  module: URL;
  workerData: unknown;
  /** What an error calls the thread, such as `document index`. */
  name: string;
};

/** A worker thread that starts with its first task and ends after 30 idle seconds to free its memory. */
export function createTaskThread<Task extends object, Reply extends { id: number }>(options: ThreadOptions) {
  const { module, workerData, name } = options;
  let worker: Worker | null = null;
  let pending: { id: number; settle(reply: Reply | Error): void } | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(module, { workerData });
    started.unref();
    started.on("message", (reply: Reply) => {
      if (pending?.id === reply.id) pending.settle(reply);
    });
    const fail = (error: Error) => {
      if (worker !== started) return;
      worker = null;
      pending?.settle(error);
    };
    started.on("error", (error) => fail(error as Error));
    started.on("exit", (code) => fail(new Error(`The ${name} thread exited with code ${code}.`)));
    return started;
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const stopping = worker;
    worker = null;
    pending?.settle(new Error("The database is being closed."));
    await stopping?.terminate();
  }

  return {
    stop,
    /**
     * Runs a task. Call it again only after the previous task has ended.
     * @returns null when the task took longer than `timeoutMs`; its thread has been terminated
     */
    async run(task: Task, timeoutMs: number): Promise<Reply | null> {
      clearTimeout(idle);
      worker ??= start();
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<Reply | Error | null>();
      pending = { id, settle: resolve };
      worker.ref();
      worker.postMessage({ id, ...task });
      const overdue = setTimeout(() => {
        void worker?.terminate();
        worker = null;
        resolve(null);
      }, timeoutMs);
      const reply = await promise;
      clearTimeout(overdue);
      pending = null;
      worker?.unref();
      idle = setTimeout(() => void stop(), IDLE_MS).unref();
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
}

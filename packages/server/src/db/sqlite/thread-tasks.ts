import { Worker } from "node:worker_threads";
import { shuttingDown } from "../../errors.ts";
import { createStopFlag, type StopFlag, setStopFlag } from "./stop-flag.ts";

const IDLE_MS = 30_000;
/** How long a task may take to end itself before its thread is terminated. */
const GRACE_MS = 1_000;

/** `free` resolves when the thread has replied to its task or has ended. */
type Thread = { worker: Worker; stopFlag: StopFlag; free: PromiseWithResolvers<void> };

type ThreadOptions = {
  /** The module that the thread runs. It replies to each task with a message that has the task's `id`. */
  module: URL;
  workerData: object;
  /** The thread's name in error messages, such as `document index`. */
  name: string;
};

/**
 * A worker thread that starts with its first task and ends after 30 idle seconds to free its memory. A thread whose
 * termination arrives while SQLite calls a function written in JavaScript never ends and uses a whole core. A task that
 * can take long must therefore end itself when the thread's stop flag is set.
 */
export function createTaskThread<Task extends object, Reply extends { id: number }>(options: ThreadOptions) {
  const { module, workerData, name } = options;
  let thread: Thread | null = null;
  let pending: { id: number; settle(reply: Reply | Error): void } | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  let isStopped = false;

  function start(): Thread {
    const stopFlag = createStopFlag();
    const worker = new Worker(module, { workerData: { ...workerData, stopFlag } });
    const started: Thread = { worker, stopFlag, free: Promise.withResolvers() };
    worker.unref();
    worker.on("message", (reply: Reply) => {
      started.free.resolve();
      if (pending?.id === reply.id) pending.settle(reply);
    });
    const fail = (error: Error) => {
      started.free.resolve();
      if (thread !== started) return;
      thread = null;
      pending?.settle(error);
    };
    worker.on("error", (error) => fail(error as Error));
    worker.on("exit", (code) => fail(new Error(`The ${name} thread exited with code ${code}.`)));
    return started;
  }

  /** Ends the thread. The next task starts another one. */
  async function end(): Promise<void> {
    const ending = thread;
    if (!ending) return;
    thread = null;
    setStopFlag(ending.stopFlag);
    const grace = setTimeout(ending.free.resolve, GRACE_MS);
    await ending.free.promise;
    clearTimeout(grace);
    await ending.worker.terminate();
  }

  /** Ends the thread permanently. The running task and all later ones are rejected with 503. */
  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(idle);
    pending?.settle(shuttingDown());
    await end();
  }

  return {
    stop,
    /**
     * Runs a task. Call this again only after the previous task has ended.
     * @returns null when the task took longer than `timeoutMs`; its thread has then been terminated
     */
    async run(task: Task, timeoutMs: number): Promise<Reply | null> {
      if (isStopped) throw shuttingDown();
      clearTimeout(idle);
      thread ??= start();
      const { worker } = thread;
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<Reply | Error | null>();
      pending = { id, settle: resolve };
      thread.free = Promise.withResolvers();
      worker.ref();
      worker.postMessage({ id, ...task });
      const overdue = setTimeout(() => {
        void end();
        resolve(null);
      }, timeoutMs);
      const reply = await promise;
      clearTimeout(overdue);
      pending = null;
      worker.unref();
      if (!isStopped) idle = setTimeout(() => void end(), IDLE_MS).unref();
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
}

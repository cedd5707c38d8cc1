import { Worker } from "node:worker_threads";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createBodyError } from "../../http/json-body.ts";
import { clientKey } from "../../plans/rate-limit.ts";
import { type DecodedFile, type ReadSubmission, readSubmission } from "./read-submission.ts";
import { createUploadBudget, readBody, type UploadBudget, type UploadLimits } from "./upload-budget.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** the files of a submission, keyed by field name */
    submittedFiles: ReadonlyMap<string, DecodedFile>;
  }
}

/** Bodies above this size are parsed in another thread, because parsing and decoding takes about 10 ms per megabyte. */
const LARGE_BYTES = 256 * 1024;
const THREAD_IDLE_MS = 30_000;

const noFiles: ReadonlyMap<string, DecodedFile> = new Map();

/**
 * Registers the parser for the bodies of submissions. It accepts JSON, and decodes files without blocking the event
 * loop.
 */
export function registerSubmissionBodies(app: FastifyInstance, limits?: UploadLimits): void {
  const thread = createReadingThread();
  const createBudget = createUploadBudget(limits);
  const budgets = new WeakMap<FastifyRequest, UploadBudget>();
  app.decorateRequest("submittedFiles", null as never);
  app.addHook("onRequest", (request, reply, done) => {
    request.submittedFiles = noFiles;
    const budget = createBudget(clientKey(request.ip));
    budgets.set(request, budget);
    // Release the budget only after the response, because the files stay in memory until then.
    reply.raw.once("close", budget.release);
    done();
  });
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: FastifyRequest["raw"]) => {
    const body = await readBody(payload, request.routeOptions.bodyLimit, (bytes) =>
      budgets.get(request)?.reserve(bytes),
    );
    if (body.length === 0) return undefined;
    const read = body.length > LARGE_BYTES ? await thread.read(body) : readSubmission(body);
    if ("problem" in read) throw createBodyError(read.problem);
    request.submittedFiles = read.files;
    return read.value;
  });

  app.addHook("onClose", () => thread.stop());
}

/**
 * Creates a reader whose thread starts on first use and ends after `THREAD_IDLE_MS` without work, so that it uses no
 * memory on an idle server.
 */
function createReadingThread() {
  const pendingReads = new Map<number, { resolve(read: ReadSubmission): void; reject(error: Error): void }>();
  let worker: Worker | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start() {
    const started = new Worker(new URL("./read-submission-thread.ts", import.meta.url));
    started.unref();
    started.on("message", ({ id, read }: { id: number; read: ReadSubmission }) => {
      pendingReads.get(id)?.resolve(read);
      pendingReads.delete(id);
      if (pendingReads.size === 0) idleTimer = setTimeout(stop, THREAD_IDLE_MS).unref();
    });
    // A thread can exit without an error event, in which case pending reads must be rejected too.
    started.on("error", (error) => fail(started, error as Error));
    started.on("exit", (code) =>
      fail(started, new Error(`The thread that parses submissions exited with code ${code}.`)),
    );
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
    read(body: Buffer): Promise<ReadSubmission> {
      clearTimeout(idleTimer);
      worker ??= start();
      const id = ++lastId;
      // Transfer the memory instead of copying it, unless it is part of Node's shared pool.
      const ownsBuffer = body.byteLength === body.buffer.byteLength;
      worker.postMessage({ id, bytes: body }, ownsBuffer ? [body.buffer as ArrayBuffer] : []);
      return new Promise((resolve, reject) => pendingReads.set(id, { resolve, reject }));
    },
    async stop() {
      clearTimeout(idleTimer);
      await stop();
    },
  };
}

import { Worker } from "node:worker_threads";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { bodyProblem } from "../../http/json-body.ts";
import { clientKey } from "../../plans/rate-limit.ts";
import { type DecodedFile, type ReadSubmission, readSubmission } from "./read-submission.ts";
import { createUploadBudget, readBody, type UploadBudget, type UploadLimits } from "./upload-budget.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** the files of a submission, by the name of their field */
    submittedFiles: ReadonlyMap<string, DecodedFile>;
  }
}

/** Above this a body is read in another thread: reading and decoding take about 10 ms a megabyte. */
const LARGE_BYTES = 256 * 1024;
const THREAD_IDLE_MS = 30_000;

const noFiles: ReadonlyMap<string, DecodedFile> = new Map();

/** Bodies of submissions: JSON as everywhere, with files that are decoded without holding up anybody else. */
export function registerSubmissionBodies(app: FastifyInstance, limits?: UploadLimits): void {
  const thread = createReadingThread();
  const budgetFor = createUploadBudget(limits);
  const budgets = new WeakMap<FastifyRequest, UploadBudget>();
  app.decorateRequest("submittedFiles", null as never);
  app.addHook("onRequest", (request, reply, done) => {
    request.submittedFiles = noFiles;
    const budget = budgetFor(clientKey(request.ip));
    budgets.set(request, budget);
    // The files stay in memory until the answer is sent.
    reply.raw.once("close", budget.release);
    done();
  });
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: FastifyRequest["raw"]) => {
    const body = await readBody(payload, request.routeOptions.bodyLimit, (bytes) => budgets.get(request)?.take(bytes));
    if (body.length === 0) return undefined;
    const read = body.length > LARGE_BYTES ? await thread.read(body) : readSubmission(body);
    if ("problem" in read) throw bodyProblem(read.problem);
    request.submittedFiles = read.files;
    return read.value;
  });

  app.addHook("onClose", () => thread.stop());
}

/** Started when it is first needed, ended when it was not needed for a while: an idle server has no use for it. */
function createReadingThread() {
  const waiting = new Map<number, { resolve(read: ReadSubmission): void; reject(error: Error): void }>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start() {
    const started = new Worker(new URL("./read-submission-thread.ts", import.meta.url));
    started.unref();
    started.on("message", ({ id, read }: { id: number; read: ReadSubmission }) => {
      waiting.get(id)?.resolve(read);
      waiting.delete(id);
      if (waiting.size === 0) idle = setTimeout(stop, THREAD_IDLE_MS).unref();
    });
    // An exit may come without an error, and nobody may wait for a thread that is gone.
    started.on("error", (error) => fail(started, error as Error));
    started.on("exit", (code) => fail(started, new Error(`The thread that reads submissions ended with ${code}.`)));
    return started;
  }

  function fail(gone: Worker, error: Error) {
    if (worker !== gone) return;
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  async function stop() {
    const stopping = worker;
    worker = null;
    await stopping?.terminate();
  }

  return {
    read(body: Buffer): Promise<ReadSubmission> {
      clearTimeout(idle);
      worker ??= start();
      const id = ++lastId;
      // The request's own memory goes over without a copy, if no other request has a part of it.
      const isOwn = body.byteLength === body.buffer.byteLength;
      worker.postMessage({ id, bytes: body }, isOwn ? [body.buffer as ArrayBuffer] : []);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    async stop() {
      clearTimeout(idle);
      await stop();
    },
  };
}

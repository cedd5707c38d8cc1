import type { FastifyInstance, FastifyRequest } from "fastify";
import { createBodyError, MAX_VISITOR_VALUES } from "../../http/json-body.ts";
import { createReadingThread, LARGE_BODY_BYTES } from "../../http/reading-thread.ts";
import { createUploadBudget, readBody, type UploadBudget, type UploadLimits } from "../../http/upload-budget.ts";
import { clientKey } from "../../plans/rate-limit.ts";
import { type DecodedFile, type ReadSubmission, readSubmission } from "./read-submission.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** the files of a submission, keyed by field name */
    submittedFiles: ReadonlyMap<string, DecodedFile>;
  }
}

const noFiles: ReadonlyMap<string, DecodedFile> = new Map();

/**
 * Registers the parser for the bodies of submissions. It accepts JSON, and decodes files without blocking the event
 * loop.
 */
export function registerSubmissionBodies(app: FastifyInstance, limits?: UploadLimits): void {
  const thread = createReadingThread<ReadSubmission, { maxValues: number }>(
    new URL("./read-submission-thread.ts", import.meta.url),
  );
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
    const read =
      body.length > LARGE_BODY_BYTES
        ? await thread.read(body, { maxValues: MAX_VISITOR_VALUES })
        : readSubmission(body, MAX_VISITOR_VALUES);
    if ("problem" in read) throw createBodyError(read.problem);
    request.submittedFiles = read.files;
    return read.value;
  });

  app.addHook("onClose", () => thread.stop());
}

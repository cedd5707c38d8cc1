import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { readEditor } from "../../agents/editor.ts";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import { AppError, invalid } from "../../errors.ts";
import type { App } from "../../http/app.ts";
import type { AgentFileService } from "./service.ts";

export function agentFileRoutes(app: App, files: AgentFileService): void {
  app.route({
    ...contract.exportAgent,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      const { file, hash } = await files.export(organizationId, request.params.id);
      reply.header("etag", `"${hash}"`);
      return { data: file, error: null };
    },
  });
  // Requests whose body is a file without a list.
  const alone = new WeakSet<FastifyRequest>();
  app.route({
    ...contract.applyAgents,
    bodyLimit: contract.agentFileLimits.bodyBytes,
    attachValidation: true,
    // Before the schema, which does not know the fields of a newer format.
    async preValidation(request) {
      const body: unknown = request.body;
      checkFormats(body);
      if (!isObject(body) || body.agents !== undefined) return;
      if (body.agent === undefined && body.format === undefined) return;
      alone.add(request);
      Object.assign(request, { body: { agents: [body] } });
    },
    async preHandler(request) {
      const error = request.validationError;
      if (error) throw alone.has(request) ? withoutList(error) : error;
    },
    handler: async (request) => {
      const { dryRun = false, prune = false } = request.query;
      const options = { dryRun, prune, isAlone: alone.has(request), editor: readEditor(request) };
      return { data: await files.apply(requirePrincipal(request), request.body, options), error: null };
    },
  });
}

/** The error with the paths of the file instead of those in a list. */
function withoutList(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.details) return error;
  const details = error.details.map((detail) => ({ ...detail, path: detail.path.replace(/^agents\.0\./, "") }));
  return new AppError(error.code, error.message.replace(/^agents\.0\./, ""), { details });
}

/** @throws 400 for a file in another format */
function checkFormats(body: unknown): void {
  if (!isObject(body)) return;
  if (body.format !== undefined) checkFormat("format", body.format);
  if (!Array.isArray(body.agents)) return;
  for (const [index, file] of body.agents.entries()) {
    if (isObject(file) && file.format !== undefined) checkFormat(`agents.${index}.format`, file.format);
  }
}

function checkFormat(path: string, format: unknown): void {
  if (format === contract.agentFileFormat) return;
  const number = /^foyer-agent\/([1-9]\d{0,5})$/.exec(String(format))?.[1];
  throw invalid(
    path,
    number === undefined
      ? `must be ${contract.agentFileFormat}`
      : `is ${String(format)}, and this server reads ${contract.agentFileFormat}. Upgrade the server first`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

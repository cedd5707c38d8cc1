import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import { formatAttachment } from "../http/attachment.ts";
import { toUtcDay } from "../utc-day.ts";
import type { Forms } from "./forms-module.ts";
import { toFilter } from "./service.ts";
import { streamSubmissionsCsv } from "./submission-csv.ts";

/** Endpoints for members to manage submissions. */
export function formRoutes(app: App, deps: Deps, { service, analytics, store }: Forms): void {
  app.route({
    ...contract.getFormAnalytics,
    handler: async (request) => {
      const { agentId, from, to, groupBy } = request.query;
      const parseDay = (text: string | undefined) => (text === undefined ? undefined : toUtcDay(Date.parse(text)));
      const range = { from: parseDay(from), to: parseDay(to) };
      return {
        analytics: await analytics.entries(requirePrincipal(request).organizationId, agentId, { range, groupBy }),
      };
    },
  });
  app.route({
    ...contract.listSubmissions,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      if (request.query.format !== "csv") return service.list(organizationId, request.query);
      await service.checkOwned(organizationId, toFilter(request.query));
      const csv = await streamSubmissionsCsv(deps, store, { organizationId, filter: toFilter(request.query) });
      reply.header("content-disposition", 'attachment; filename="form-submissions.csv"');
      return reply.type("text/csv; charset=utf-8").send(csv as never);
    },
  });
  app.route({
    ...contract.getSubmission,
    handler: async (request) => service.detail(requirePrincipal(request).organizationId, request.params.id),
  });
  app.route({
    ...contract.retrySubmission,
    handler: async (request) => service.retry(requirePrincipal(request).organizationId, request.params.id),
  });
  app.route({
    ...contract.retrySubmissions,
    handler: async (request) => ({
      retried: await service.retryFailed(requirePrincipal(request).organizationId, request.body),
    }),
  });
  app.route({
    ...contract.deleteSubmission,
    handler: async (request) => {
      await service.delete(requirePrincipal(request).organizationId, request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.getSubmissionFile,
    handler: async (request, reply) => {
      const { id, name } = request.params;
      const {
        mediaType,
        content,
        name: fileName,
      } = await service.file(requirePrincipal(request).organizationId, id, name);
      // Files from visitors are always downloaded and never displayed, because they could be pages that run scripts on
      // our origin.
      reply.header("content-disposition", formatAttachment(fileName ?? name));
      return reply.type(mediaType).send(content);
    },
  });
}

import * as contract from "@foyer/contract";
import type { App } from "../app.ts";
import { accountOf } from "../auth/authenticate.ts";
import type { ToolRunner } from "./run-tool.ts";
import type { ToolService } from "./tool-service.ts";

export function toolRoutes(app: App, tools: ToolService, runner: ToolRunner): void {
  app.route({
    ...contract.listTools,
    handler: async (request) => tools.list(accountOf(request).organizationId, request.query.agentId),
  });
  app.route({
    ...contract.getToolLimits,
    handler: async (request) => tools.limits(accountOf(request), request.query.agentId),
  });
  app.route({
    ...contract.getTool,
    handler: async (request) => tools.get(accountOf(request).organizationId, request.params.id),
  });
  app.route({
    ...contract.createTool,
    handler: async (request, reply) => reply.status(201).send(await tools.create(accountOf(request), request.body)),
  });
  app.route({
    ...contract.updateTool,
    handler: async (request) => tools.update(accountOf(request).organizationId, request.params.id, request.body),
  });
  app.route({
    ...contract.deleteTool,
    handler: async (request) => {
      await tools.delete(accountOf(request).organizationId, request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.testTool,
    handler: async (request) => {
      const tool = await tools.existing(accountOf(request).organizationId, request.params.id);
      return runner.test(tool, request.body.input ?? {});
    },
  });
}

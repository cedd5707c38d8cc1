import * as contract from "@foyer/contract";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import { checkSetUp } from "./rules.ts";
import type { SetupService } from "./service.ts";

export function setupRoutes(app: App, setup: SetupService): void {
  app.route({
    ...contract.checkSetUpToken,
    handler: async (request) => {
      await setup.check(request.body.token);
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.setUp,
    ...withBodyRules<contract.SetUpRequest>(({ body }) => checkSetUp(body)),
    handler: async (request, reply) => {
      const result = await setup.setUp(request.body, request.ip);
      return reply.status(201).header("cache-control", "no-store").send({ data: result, error: null });
    },
  });
}

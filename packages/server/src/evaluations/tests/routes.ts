import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import { createDisconnectSignal } from "../../http/disconnect-signal.ts";
import type { TestRunService } from "./run-service.ts";
import type { AgentTestService } from "./service.ts";

export function agentTestRoutes(app: App, tests: AgentTestService, runs: TestRunService): void {
  app.route({
    ...contract.listAgentTests,
    handler: async (request) => tests.list(placeOf(request, request.params), request.query),
  });
  app.route({
    ...contract.createAgentTest,
    handler: async (request, reply) => {
      const test = await tests.create(placeOf(request, request.params), request.body);
      return reply.status(201).send({ data: test, error: null });
    },
  });
  app.route({
    ...contract.keepConversationAsTest,
    handler: async (request, reply) => {
      const test = await tests.keep(placeOf(request, request.params), request.body);
      return reply.status(201).send({ data: test, error: null });
    },
  });
  app.route({
    ...contract.runAgentTests,
    handler: async (request, reply) => {
      const { version, repeat = 1, testIds, wait = true } = request.body;
      const options = { version, repeat, testIds: testIds ?? undefined };
      const waiting = { waits: wait, signal: createDisconnectSignal(reply) };
      const run = await runs.run(placeOf(request, request.params), options, waiting);
      return reply.status(run.status === "running" ? 202 : 200).send({ data: run, error: null });
    },
  });
  app.route({
    ...contract.listAgentTestRuns,
    handler: async (request) => runs.list(placeOf(request, request.params), request.query),
  });
  app.route({
    ...contract.getAgentTestRun,
    handler: async (request) => ({
      data: await runs.get(placeOf(request, request.params), request.params.runId),
      error: null,
    }),
  });
  app.route({
    ...contract.stopAgentTestRun,
    handler: async (request) => ({
      data: await runs.stop(placeOf(request, request.params), request.params.runId),
      error: null,
    }),
  });
  app.route({
    ...contract.getAgentTest,
    handler: async (request) => ({
      data: await tests.get(placeOf(request, request.params), request.params.testId),
      error: null,
    }),
  });
  app.route({
    ...contract.updateAgentTest,
    handler: async (request) => ({
      data: await tests.update(placeOf(request, request.params), request.params.testId, request.body),
      error: null,
    }),
  });
  app.route({
    ...contract.deleteAgentTest,
    handler: async (request) => {
      await tests.delete(placeOf(request, request.params), request.params.testId);
      return { success: true as const };
    },
  });
}

/** The agent of a request, within the caller's organization. */
function placeOf(request: FastifyRequest, { id }: { id: string }) {
  return { organizationId: requirePrincipal(request).organizationId, agentId: id };
}

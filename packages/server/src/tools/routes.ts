import type { VerifiedVisitor } from "@foyer/contract";
import * as contract from "@foyer/contract";
import { isAtLeast } from "@foyer/contract/rules/roles";
import type { FastifyRequest } from "fastify";
import { readEditor } from "../agents/editor.ts";
import { credentialId, type Principal, requirePrincipal } from "../auth/sessions/authenticate.ts";
import { AppError } from "../errors.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { withExecutionType } from "./columns.ts";
import type { ToolRunner } from "./run-tool.ts";
import { checkIsForm, type WebhookSecrets } from "./secrets/webhook-secrets.ts";
import type { ToolService } from "./service.ts";
import type { ToolTrash } from "./tool-trash.ts";

export function toolRoutes(
  app: App,
  {
    tools,
    trash,
    runner,
    webhookSecrets,
    idempotency,
  }: {
    tools: ToolService;
    trash: ToolTrash;
    runner: ToolRunner;
    webhookSecrets: WebhookSecrets;
    idempotency: Idempotency;
  },
): void {
  const findForm = async (request: FastifyRequest, id: string) =>
    checkIsForm(await tools.existing(requirePrincipal(request).organizationId, id));
  app.route({
    ...contract.listTools,
    handler: async (request) => tools.list(requirePrincipal(request).organizationId, request.query.agentId),
  });
  app.route({
    ...contract.getToolLimits,
    handler: async (request) => tools.limits(requirePrincipal(request), request.query.agentId),
  });
  app.route({
    ...contract.listToolErrors,
    handler: async (request) => tools.errors(requirePrincipal(request).organizationId, request.query.agentId),
  });
  app.route({
    ...contract.getTool,
    handler: async (request) => tools.get(requirePrincipal(request).organizationId, request.params.id),
  });
  app.route({
    ...contract.createTool,
    ...withBodyRules<contract.ToolCreate>((part, request) =>
      tools.checkPartOfNew(requirePrincipal(request).organizationId, part),
    ),
    preValidation: acceptType,
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const tool = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        tools.create(principal, request.body, { editor: readEditor(request), keep }),
      );
      return reply.status(201).send(tool);
    },
  });
  app.route({
    ...contract.updateTool,
    ...withBodyRules<contract.ToolChanges, { id: string }>((part, request) =>
      tools.checkPart(requirePrincipal(request).organizationId, request.params.id, part),
    ),
    preValidation: acceptType,
    handler: async (request) =>
      tools.update(requirePrincipal(request), request.params.id, { input: request.body, editor: readEditor(request) }),
  });
  app.route({
    ...contract.duplicateTool,
    handler: async (request, reply) => {
      const copy = await tools.duplicate(requirePrincipal(request), request.params.id, readEditor(request));
      return reply.status(201).send(copy);
    },
  });
  app.route({
    ...contract.deleteTool,
    handler: async (request) => {
      await tools.delete(requirePrincipal(request).organizationId, request.params.id, readEditor(request));
      return { success: true as const };
    },
  });
  app.route({
    ...contract.trashTool,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const data = await trash.trash({ organizationId, id: request.params.id }, readEditor(request));
      return { data, error: null };
    },
  });
  app.route({
    ...contract.restoreTool,
    handler: async (request) => {
      await trash.restore(requirePrincipal(request), request.params.id, readEditor(request));
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.testTool,
    handler: async (request) => {
      const principal = requirePrincipal(request);
      const tool = await tools.existing(principal.organizationId, request.params.id);
      const { input, visitor } = request.body;
      return runner.test(tool, input ?? {}, visitor ? toActingVisitor(principal, visitor) : null);
    },
  });
  app.route({
    ...contract.getWebhookSecret,
    handler: async (request) => webhookSecrets.read(await findForm(request, request.params.id)),
  });
  app.route({
    ...contract.rotateWebhookSecret,
    handler: async (request) => webhookSecrets.rotate(await findForm(request, request.params.id)),
  });
}

/**
 * Requires the admin role to call a tool as a visitor, because such a call reaches the owner's systems in that
 * visitor's name.
 * @throws 403
 */
function toActingVisitor({ role }: Principal, { id, email, name, claims }: contract.ActingVisitor): VerifiedVisitor {
  if (isAtLeast(role, "admin")) return { id, email: email || null, name: name || null, claims: claims ?? {} };
  throw new AppError("FORBIDDEN", `You need the admin role to test a tool as a visitor. Your role is ${role}.`);
}

/** Runs before validation, so that the schema can require the canonical `executionType`. */
async function acceptType(request: FastifyRequest) {
  request.body = withExecutionType(request.body);
}

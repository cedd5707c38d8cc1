import * as contract from "@foyer/contract";
import { credentialId, requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { sendJsonPages } from "../http/json-pages.ts";
import { checkMemberChanges } from "./admin-settings.ts";
import { checkAgent } from "./columns.ts";
import { readEditor } from "./editor.ts";
import type { AgentService, CopyContent } from "./service.ts";
import type { AgentTrash } from "./trash.ts";

/** `copyContent` copies the tools, triggers and tests of a duplicated agent, because this folder may not import them. */
export function agentRoutes(
  app: App,
  {
    agents,
    trash,
    idempotency,
    copyContent,
  }: { agents: AgentService; trash: AgentTrash; idempotency: Idempotency; copyContent: CopyContent },
): void {
  app.route({
    ...contract.listAgents,
    handler: async (request, reply) => {
      const pages = agents.list(requirePrincipal(request).organizationId);
      return sendJsonPages(reply, { before: '{"data":[', pages, after: '],"error":null}' });
    },
  });
  app.route({
    ...contract.getAgent,
    handler: async (request, reply) => {
      const agent = await agents.get(requirePrincipal(request).organizationId, request.params.id);
      reply.header("etag", `"${agent.draftHash}"`);
      return { data: agent, error: null };
    },
  });
  app.route({
    ...contract.createAgent,
    ...withBodyRules<contract.AgentChanges>(({ body }) => checkAgent(body)),
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      checkMemberChanges(principal.role, "new agent", request.body);
      const agent = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        agents.create(principal.organizationId, request.body, { by: readEditor(request).by, keep }),
      );
      return reply.status(201).send({ data: agent, error: null });
    },
  });
  app.route({
    ...contract.duplicateAgent,
    handler: async (request, reply) => {
      const agent = await agents.duplicate(requirePrincipal(request).organizationId, request.params.id, {
        by: readEditor(request).by,
        copyContent,
      });
      return reply.status(201).send({ data: agent, error: null });
    },
  });
  app.route({
    ...contract.updateAgent,
    ...withBodyRules<contract.AgentChanges>(({ body }) => checkAgent(body)),
    handler: async (request) => {
      const { organizationId, role } = requirePrincipal(request);
      const { id } = request.params;
      checkMemberChanges(role, await agents.get(organizationId, id), request.body);
      const data = await agents.update(organizationId, id, { input: request.body, editor: readEditor(request) });
      return { data, error: null };
    },
  });
  app.route({
    ...contract.deleteAgent,
    handler: async (request) => {
      await agents.delete(requirePrincipal(request).organizationId, request.params.id, readEditor(request));
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.trashAgent,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const data = await trash.trash({ organizationId, id: request.params.id }, readEditor(request));
      return { data, error: null };
    },
  });
  app.route({
    ...contract.restoreAgent,
    handler: async (request) => {
      await trash.restore({ organizationId: requirePrincipal(request).organizationId, id: request.params.id });
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.getIdentitySecret,
    handler: async (request) => {
      const identitySecret = await agents.identitySecret(requirePrincipal(request).organizationId, request.params.id);
      return { data: { identitySecret }, error: null };
    },
  });
  app.route({
    ...contract.rotateIdentitySecret,
    handler: async (request) => {
      const identitySecret = await agents.rotateIdentitySecret(
        requirePrincipal(request).organizationId,
        request.params.id,
      );
      return { data: { identitySecret }, error: null };
    },
  });
}

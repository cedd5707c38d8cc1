import * as contract from "@foyer/contract";
import { readEditor } from "../agents/editor.ts";
import type { AgentService } from "../agents/service.ts";
import { credentialId, requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import type { Idempotency } from "../http/idempotency.ts";
import type { ToolService } from "../tools/service.ts";
import { checkSettings } from "./rules.ts";
import type { TriggerService } from "./service.ts";
import { createTriggerStats } from "./stats.ts";
import { formTemplates, triggerTemplates } from "./templates.ts";
import type { TriggerTrash } from "./trigger-trash.ts";

export function triggerRoutes(
  app: App,
  deps: Deps,
  {
    agents,
    tools,
    triggers,
    trash,
    idempotency,
  }: {
    agents: AgentService;
    tools: ToolService;
    triggers: TriggerService;
    trash: TriggerTrash;
    idempotency: Idempotency;
  },
): void {
  const stats = createTriggerStats(deps, agents);

  app.route({
    ...contract.listTriggers,
    handler: async (request) => triggers.list(requirePrincipal(request).organizationId, request.query.agentId),
  });
  app.route({
    ...contract.getTriggerStats,
    handler: async (request) => stats(requirePrincipal(request).organizationId, request.query),
  });
  app.route({
    ...contract.listTriggerTemplates,
    handler: async (request) => {
      const { agentId } = request.query;
      if (agentId === undefined) return [...triggerTemplates];
      const form = (await tools.list(requirePrincipal(request).organizationId, agentId)).find(
        ({ executionType, isEnabled }) => executionType === "form" && isEnabled,
      );
      return [...triggerTemplates, ...(form ? formTemplates(form) : [])];
    },
  });
  app.route({
    ...contract.getTrigger,
    handler: async (request) => triggers.get(requirePrincipal(request).organizationId, request.params.id),
  });
  app.route({
    ...contract.createTrigger,
    ...withBodyRules<contract.TriggerCreate>(({ body }) => checkSettings(body)),
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const trigger = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        triggers.create(principal.organizationId, request.query.agentId, {
          input: request.body,
          editor: readEditor(request),
          keep,
        }),
      );
      return reply.status(201).send(trigger);
    },
  });
  app.route({
    ...contract.duplicateTrigger,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      return reply.status(201).send(await triggers.duplicate(organizationId, request.params.id, readEditor(request)));
    },
  });
  app.route({
    ...contract.updateTrigger,
    ...withBodyRules<contract.TriggerChanges, { id: string }>((part, request) =>
      triggers.checkPart(requirePrincipal(request).organizationId, request.params.id, part),
    ),
    handler: async (request) =>
      triggers.update(requirePrincipal(request).organizationId, request.params.id, {
        input: request.body,
        editor: readEditor(request),
      }),
  });
  app.route({
    ...contract.toggleTrigger,
    handler: async (request) =>
      triggers.toggle(requirePrincipal(request).organizationId, request.params.id, readEditor(request)),
  });
  app.route({
    ...contract.deleteTrigger,
    handler: async (request) => {
      await triggers.delete(requirePrincipal(request).organizationId, request.params.id, readEditor(request));
      return { success: true as const };
    },
  });
  app.route({
    ...contract.trashTrigger,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const data = await trash.trash({ organizationId, id: request.params.id }, readEditor(request));
      return { data, error: null };
    },
  });
  app.route({
    ...contract.restoreTrigger,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      await trash.restore({ organizationId, id: request.params.id }, readEditor(request));
      return { data: { success: true as const }, error: null };
    },
  });
}

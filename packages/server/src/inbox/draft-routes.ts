import * as contract from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import { credentialId, requirePrincipal, requireSignedIn } from "../auth/sessions/authenticate.ts";
import type { DraftWriter } from "../chat/draft-reply.ts";
import type { Config } from "../config.ts";
import type { AttachmentService } from "../conversations/attachments/service.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { App } from "../http/app.ts";
import { createDisconnectSignal } from "../http/disconnect-signal.ts";
import { createRateLimit } from "../plans/rate-limit.ts";

type Parts = {
  agents: AgentService;
  conversations: ConversationService;
  attachments: Pick<AttachmentService, "resolveUploads">;
  draft: DraftWriter;
};

/** The endpoint that lets the agent draft an answer, which a member then edits and sends. */
export function draftRoutes(app: App, { limits }: Config, { agents, conversations, attachments, draft }: Parts): void {
  // Each draft calls the model.
  const perMember = createRateLimit(limits.chatPerSession, "drafts");
  app.route({
    ...contract.draftReply,
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const { organizationId } = principal;
      await perMember.consume(requireSignedIn(request).user.id, request);
      const { id, agentId } = await conversations.existing({ organizationId }, request.params.id);
      const agent = await agents.getPublic(agentId);
      const owner = { organizationId, conversationId: id, uploaderId: credentialId(principal) };
      const attached = await attachments.resolveUploads(owner, request.body?.attachments ?? []);
      const text = await draft(agent, id, {
        attached,
        signal: createDisconnectSignal(reply),
        log: request.log,
      });
      return { data: { text }, error: null };
    },
  });
}

import * as contract from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import { requirePrincipal, requireSignedIn } from "../auth/sessions/authenticate.ts";
import type { DraftWriter } from "../chat/draft-reply.ts";
import type { Config } from "../config.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { App } from "../http/app.ts";
import { createDisconnectSignal } from "../http/disconnect-signal.ts";
import { createRateLimit } from "../plans/rate-limit.ts";

type Parts = { agents: AgentService; conversations: ConversationService; draft: DraftWriter };

/** The endpoint that lets the agent draft an answer, which a member then edits and sends. */
export function draftRoutes(app: App, { limits }: Config, { agents, conversations, draft }: Parts): void {
  // Each draft calls the model.
  const perMember = createRateLimit(limits.chatPerSession, "drafts");
  app.route({
    ...contract.draftReply,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      await perMember.consume(requireSignedIn(request).user.id, request);
      const { id, agentId } = await conversations.existing({ organizationId }, request.params.id);
      const agent = await agents.getPublic(agentId);
      const text = await draft(agent, id, { signal: createDisconnectSignal(reply), log: request.log });
      return { data: { text }, error: null };
    },
  });
}

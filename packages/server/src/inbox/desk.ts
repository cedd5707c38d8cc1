import type { AgentService } from "../agents/service.ts";
import { createDraftWriter } from "../chat/draft-reply.ts";
import type { AttachmentService } from "../conversations/attachments/service.ts";
import type { ConversationLog } from "../conversations/log/log.ts";
import type { ConversationService } from "../conversations/service.ts";
import { createTagService } from "../conversations/tags/service.ts";
import type { AppDeps } from "../fastify.ts";
import type { App } from "../http/app.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { createTokenBudgets } from "../plans/token-budget.ts";
import { inboxAnalyticsRoutes } from "./analytics/routes.ts";
import { createInboxAnalytics } from "./analytics/service.ts";
import { bulkRoutes } from "./bulk/routes.ts";
import { createBulkService } from "./bulk/service.ts";
import { cannedReplyRoutes } from "./canned-replies/routes.ts";
import { createCannedReplyService } from "./canned-replies/service.ts";
import { draftRoutes } from "./draft-routes.ts";
import { messageDraftRoutes } from "./drafts/routes.ts";
import { createDraftService } from "./drafts/service.ts";
import type { LiveStreams } from "./live/live-streams.ts";
import { liveRoutes } from "./live/routes.ts";
import type { AnnounceMentions } from "./notes/mentions.ts";
import { noteRoutes } from "./notes/routes.ts";
import { createNoteService } from "./notes/service.ts";
import { createReplyActionRunner } from "./reply-actions.ts";
import { inboxRoutes } from "./routes.ts";
import type { InboxService } from "./service.ts";
import { teamRoutes } from "./teams/routes.ts";
import { createTeamService } from "./teams/service.ts";
import { viewRoutes } from "./views/routes.ts";
import { createViewService } from "./views/service.ts";

export type Desk = ReturnType<typeof createDesk>;

/** Creates what members order the inbox with: teams, tags, saved views, bulk actions and the actions of replies. */
export function createDesk(
  deps: AppDeps,
  parts: Omit<Parameters<typeof createBulkService>[1], "tags" | "views"> & {
    log: ConversationLog;
    recorder: { announceMentions: AnnounceMentions };
  },
) {
  const tags = createTagService(deps, parts.conversations);
  const views = createViewService(deps);
  return {
    tags,
    views,
    announceMentions: parts.recorder.announceMentions,
    teams: createTeamService(deps, parts.log),
    replyActions: createReplyActionRunner(deps, { log: parts.log, tags }),
    bulk: createBulkService(deps, { ...parts, tags, views }),
  };
}

type Parts = {
  agents: AgentService;
  conversations: ConversationService;
  attachments: AttachmentService;
  desk: Desk;
  inbox: InboxService;
  live: LiveStreams;
  idempotency: Idempotency;
  /** what an agent's draft of an answer is written from */
  writing: Omit<Parameters<typeof createDraftWriter>[1], "budgets">;
};

/** Registers the routes with which members work in the inbox. */
export function addInboxRoutes(app: App, deps: AppDeps, parts: Parts): void {
  const { agents, conversations, attachments, desk, inbox, live, idempotency, writing } = parts;
  const draft = createDraftWriter(deps, { budgets: createTokenBudgets(deps), ...writing });
  draftRoutes(app, deps.config, { agents, conversations, attachments, draft });
  messageDraftRoutes(app, createDraftService(deps, { conversations, attachments }));
  noteRoutes(app, createNoteService(deps, { ...parts, announceMentions: desk.announceMentions }), idempotency);
  cannedReplyRoutes(app, createCannedReplyService(deps), idempotency);
  viewRoutes(app, desk.views);
  inboxAnalyticsRoutes(app, createInboxAnalytics(deps, agents));
  bulkRoutes(app, desk.bulk);
  teamRoutes(app, desk.teams);
  inboxRoutes(app, { config: deps.config, inbox, idempotency });
  liveRoutes(app, deps, { live, conversations });
}

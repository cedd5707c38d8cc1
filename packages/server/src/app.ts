import { createContentDeletion } from "./agent-deletion.ts";
import type { Drafts } from "./agents/editor.ts";
import { identityTokenRoutes } from "./agents/identity-routes.ts";
import { agentImageRoutes } from "./agents/image-routes.ts";
import { createAgentImageService } from "./agents/image-service.ts";
import { agentRoutes } from "./agents/routes.ts";
import { type AgentService, type CopyContent, createAgentService } from "./agents/service.ts";
import { visitorAgentRoutes } from "./agents/visitor-routes.ts";
import type { AuditLog } from "./auth/audit/audit-log.ts";
import { accountRoutes } from "./auth/routes.ts";
import { createReplyStore } from "./chat/reply-store.ts";
import { chatRoutes } from "./chat/routes.ts";
import { createRunningReplies } from "./chat/running/running-replies.ts";
import { type ChatService, createChatService } from "./chat/service.ts";
import { createChatBytes } from "./chat/turn/chat-bytes.ts";
import { createAttachmentLoader, createRecordedAttachments } from "./chat/turn/load-attachments.ts";
import { createLog } from "./conversation-changes.ts";
import { createConversationAnalytics } from "./conversations/analytics/service.ts";
import { attachmentRoutes } from "./conversations/attachment-routes.ts";
import { type AttachmentService, createAttachmentService } from "./conversations/attachments/service.ts";
import { createAttachmentSweeper } from "./conversations/attachments/sweeper.ts";
import type { ConversationLog } from "./conversations/log/log.ts";
import { type ConversationMarks, createConversationMarks } from "./conversations/marks.ts";
import { createRatingService } from "./conversations/rating.ts";
import { ratingRoutes } from "./conversations/rating-routes.ts";
import { createReplyFailures } from "./conversations/reply-failures.ts";
import { conversationRoutes } from "./conversations/routes.ts";
import { createConversationTextIndex } from "./conversations/search/text-index.ts";
import { type ConversationService, createConversationService } from "./conversations/service.ts";
import { createStatusService } from "./conversations/status.ts";
import { statusRoutes } from "./conversations/status-routes.ts";
import { createStatusTimer } from "./conversations/status-timer.ts";
import { tagRoutes } from "./conversations/tags/routes.ts";
import { readTrace } from "./conversations/trace.ts";
import { type Checkpoint, createCheckpoint } from "./db/sqlite/checkpoint.ts";
import { doctorRoutes } from "./doctor/routes.ts";
import { answerRoutes } from "./documents/answers/routes.ts";
import { createDocuments } from "./documents/documents.ts";
import { embeddingRoutes } from "./documents/embeddings/routes.ts";
import { documentRoutes } from "./documents/routes.ts";
import { createPassageSearch } from "./documents/search/passage-search.ts";
import { createReplyDocuments } from "./documents/search-tool.ts";
import { sourceRoutes } from "./documents/sites/routes.ts";
import { createSites } from "./documents/sites/sites.ts";
import { createEvaluations, type Evaluations, evaluationRoutes } from "./evaluations/evaluations.ts";
import { copyTests, fileTests } from "./evaluations/tests/file-tests.ts";
import { createIdleWorker } from "./events/idle-worker.ts";
import { recordWith } from "./events/record-events.ts";
import { webhookRoutes } from "./events/routes.ts";
import { createWebhooks } from "./events/webhooks.ts";
import { type AppDeps, createFastify, registerPlugins } from "./fastify.ts";
import { createForms, type Forms } from "./forms/forms-module.ts";
import { formRoutes } from "./forms/routes.ts";
import { submitRoutes } from "./forms/submit/routes.ts";
import { createRouteTable } from "./http/allowed-methods.ts";
import type { App } from "./http/app.ts";
import { refuseAmbiguousPath } from "./http/base-path.ts";
import { healthRoutes } from "./http/health-routes.ts";
import { createIdempotency, type Idempotency } from "./http/idempotency.ts";
import {
  type AssignConversation,
  createAssignConversation,
  createAssignConversations,
} from "./inbox/assign-conversation.ts";
import { createHandoffCounters } from "./inbox/counters.ts";
import { addInboxRoutes, createDesk, type Desk } from "./inbox/desk.ts";
import { scheduleRelease } from "./inbox/former-members.ts";
import { createHandoffNotes } from "./inbox/handoff-notes.ts";
import { createEventRule } from "./inbox/handoff-rules.ts";
import { createLiveStreams, type LiveStreams } from "./inbox/live/live-streams.ts";
import { addHandoffMetrics } from "./inbox/metrics.ts";
import { createNotices } from "./inbox/notices/notices.ts";
import { createNoticeRecorder, type NoticeRecorder } from "./inbox/notices/record-notices.ts";
import { noticeRoutes } from "./inbox/notices/routes.ts";
import { recordRatingSeen } from "./inbox/notices/seen-answers.ts";
import { createRequestTool } from "./inbox/request-tool.ts";
import { createInboxService, type InboxService } from "./inbox/service.ts";
import { teamChatRoutes } from "./inbox/team-chats/routes.ts";
import { createTeamChats } from "./inbox/team-chats/team-chats.ts";
import { createTeamAssignment } from "./inbox/teams/assign-waiting.ts";
import { createOutbox, type Outbox } from "./outbox/outbox.ts";
import { confirmRecipientRoutes } from "./pages/confirm-recipient-routes.ts";
import { dashboardRoutes } from "./pages/dashboard-routes.ts";
import { docsRoutes } from "./pages/docs-routes.ts";
import { pageRoutes } from "./pages/page-routes.ts";
import { ratingPageRoutes } from "./pages/rating-page-routes.ts";
import { widgetRoutes } from "./pages/widget-routes.ts";
import { createPictureRewriter } from "./pictures/picture-rewriter.ts";
import { createResponseQuota } from "./plans/response-quota.ts";
import { planRoutes } from "./plans/routes.ts";
import { createSignInLimit } from "./plans/sign-in-limit.ts";
import { registerVisitorLimit } from "./plans/visitor-limit.ts";
import { modelSettingsRoutes } from "./providers/model-settings-routes.ts";
import { priceRoutes } from "./providers/price-routes.ts";
import { providerRoutes } from "./providers/routes.ts";
import { setupRoutes } from "./setup/routes.ts";
import { createSetupService } from "./setup/service.ts";
import { createAgentTools } from "./tools/agent-tools.ts";
import { createFormFinder } from "./tools/form/form-finder.ts";
import { mailRecipientRoutes } from "./tools/form/mail-recipient-routes.ts";
import { createMailRecipients, type MailRecipients } from "./tools/form/mail-recipients.ts";
import { toolRoutes } from "./tools/routes.ts";
import { createToolRunner } from "./tools/run-tool.ts";
import { secretRoutes } from "./tools/secrets/routes.ts";
import { createSecretService } from "./tools/secrets/service.ts";
import { createWebhookSecrets } from "./tools/secrets/webhook-secrets.ts";
import { createToolService, type ToolService } from "./tools/service.ts";
import { addTrash, type Trash } from "./trash-module.ts";
import { createListingCache } from "./triggers/listing.ts";
import { triggerRoutes } from "./triggers/routes.ts";
import { createTriggerService, type TriggerService } from "./triggers/service.ts";
import { visitorTriggerRoutes } from "./triggers/visitor-routes.ts";
import { createVisitorTriggers } from "./triggers/visitor-triggers.ts";
import { createDrafts } from "./versions/drafts.ts";
import { agentFileRoutes } from "./versions/files/routes.ts";
import { createAgentFileService } from "./versions/files/service.ts";
import { createFrozenTools } from "./versions/frozen-tools.ts";
import { createRollouts } from "./versions/rollouts.ts";
import { versionRoutes } from "./versions/routes.ts";
import { createVersionService } from "./versions/service.ts";
import { visitorRoutes } from "./visitors/routes.ts";
import { createVisitorService, type VisitorService } from "./visitors/service.ts";

/**
 * Creates the server, ready to listen or to be called with `inject`. `drain` waits for running replies and deliveries.
 */
export async function createApp(deps: AppDeps) {
  const { config } = deps;
  const routes = createRouteTable();
  const app = createFastify(deps, routes);
  const calls = await registerPlugins(app, deps, routes);

  const audit = addAccounts(app, deps);

  let isDraining = false;
  const idempotency = createIdempotency(deps.db, {
    countBytes: createResponseQuota(config.limits.responseBytesPerDay),
  });
  const outbox = createOutbox(deps);
  const webhooks = createWebhooks(deps, outbox);
  const listings = createListingCache();
  const replyStore = createReplyStore(deps.db);
  const replies = createRunningReplies(replyStore, config.limits);
  const passageSearch = createPassageSearch({ db: deps.db, address: config.database }, deps.log);
  const deleteContent = createContentDeletion(deps, passageSearch.maintain);
  const drafts = createDrafts(deps);
  const agents = createAgentService(deps, {
    drafts,
    onChange: listings.forget,
    // Deleting an agent ends its running replies, so that they stop using the model.
    onDelete(agentId) {
      replies.abort({ agentId });
      return deleteContent(agentId);
    },
  });
  const documents = createDocuments(deps, { agents, passageSearch });
  const sites = createSites(deps, { agents, ...documents.parts });
  const checkpoint = createCheckpoint(app, deps);
  const { attachments, attachmentSweeper } = createAttachments(app, deps, { documents, checkpoint });
  const conversations = createConversationService(deps, agents);
  const conversationTexts = createConversationTextIndex({ db: deps.db, address: config.database }, deps.log);
  const live = createLiveStreams(deps, conversations);
  const recordEvents = recordWith(webhooks.recordEvents, live.recordEvents);
  const handoffCounters = createHandoffCounters();
  const noticeRecorder = createNoticeRecorder(deps, outbox);
  const chatBytes = createChatBytes(deps);
  const listeners = { handoffCounters, chatBytes, noticeRecorder, live, replies };
  const { recorder } = documents;
  const conversationLog = createLog(deps, {
    attachments,
    listeners,
    outbox,
    recorder,
    recordEvents: webhooks.recordEvents,
  });
  const idleWorker = createIdleWorker(deps, {
    record: webhooks.recordEvents,
    listeners: webhooks.listeners,
    conversationLog,
  });
  const accountSecrets = createSecretService(deps);
  const mailRecipients = createMailRecipients(deps);
  const tools = createToolService(deps, { agents, drafts, mailRecipients, secrets: accountSecrets }, listings.forget);
  const formFinder = createFormFinder(deps.db);
  const triggers = createTriggerService(deps, { agents, drafts, forms: formFinder, onChange: listings.forget });
  const webhookSecrets = createWebhookSecrets(deps);
  const toolRunner = createToolRunner(deps, agents, accountSecrets);
  const forms = createForms(deps, { agents, tools, formFinder, webhookSecrets, mailRecipients, outbox, recordEvents });
  const visitorTriggers = createVisitorTriggers(
    deps,
    { agents, formFinder, onEvent: createEventRule(conversationLog) },
    listings,
  );
  const visitors = createVisitorService(deps, { log: conversationLog, checkpoint, recordEvents });
  const kinds = { agents, drafts, tools, triggers, documents, conversations, visitors };
  const trash = addTrash(app, deps, { kinds, conversationLog, checkpoint, listings, replies, deleteContent });
  const parts = { agents, attachments, conversations, conversationLog, replies, store: replyStore, bytes: chatBytes };
  const sources = {
    documentsOf: createReplyDocuments(documents.service, deps.encryption, deps.log),
    notesOf: forms.notesOf,
    humanToolOf: createRequestTool(deps, conversationLog),
  };
  const chat = createChat(deps, parts, { ...sources, toolRunner, visitorTriggers });
  const assignConversation = createAssignConversation(deps, { handOver: chat.handOver, log: conversationLog });
  const assignConversations = createAssignConversations(deps, { handOver: chat.handOver, log: conversationLog });
  const inboxParts = { conversations, assignConversation, log: conversationLog, recorder: noticeRecorder };
  const desk = createDesk(deps, { ...inboxParts, assignConversations, trash: trash.conversations });
  const inbox = createInboxService(deps, { ...inboxParts, agents, attachments, actions: desk.replyActions });
  const notices = addNotices(app, deps, { ...parts, ...inboxParts, outbox, inbox, live });
  const recordedAttachmentsOf = createRecordedAttachments(attachments);
  const evaluations = createEvaluations(deps, { agents, conversations }, { ...sources, recordedAttachmentsOf });
  const sweepers = [attachmentSweeper, createStatusTimer(deps, conversationLog)];
  const timers = [idleWorker, notices, ...sweepers, trash.purge, desk.bulk.worker, ...evaluations.workers];
  app.addHook("onReady", () => startWorkers(outbox.worker, documents, sites.worker, conversationTexts, ...timers));
  healthRoutes(app, deps, {
    runningReplies: replies.count,
    isDraining: () => isDraining,
    handoffs: { addMetrics: (registry) => addHandoffMetrics(registry, deps, handoffCounters) },
  });
  planRoutes(app, deps, calls);
  addAgents(app, deps, { agents, trash, drafts, idempotency, copyContent: copyAgentContent(tools, triggers) });
  addVersions(app, deps, { agents, drafts, tools, secrets: accountSecrets, evaluations, onChange: listings.forget });
  addTools(app, { tools, trash, toolRunner, webhookSecrets, accountSecrets, idempotency });
  addKnowledge(app, { documents, sites, idempotency });
  webhookRoutes(app, webhooks, idempotency);
  triggerRoutes(app, deps, { agents, tools, triggers, trash: trash.triggers, idempotency });
  visitorTriggerRoutes(app, config, { triggers: visitorTriggers, idempotency });
  addConversations(app, deps, {
    agents,
    conversations,
    attachments,
    marks: createConversationMarks({ conversations, log: conversationLog }),
    trash,
    conversationLog,
    desk,
    chat,
    documents,
    inbox,
    live,
    forms,
    visitors,
    idempotency,
  });
  doctorRoutes(app, deps, { agents, embeddings: documents.embeddings, notices: notices.service });
  addPages(app, deps, { agents, audit, mailRecipients });
  if (config.basePath !== "") refuseAmbiguousPath(config.basePath, routes);

  return {
    app,
    async drain() {
      isDraining = true;
      await Promise.all([
        live.drain(),
        chat.drain(config.drainTimeout),
        outbox.worker.stop(config.drainTimeout),
        ...timers.map((worker) => worker.stop()),
        // Stop this before the documents, because syncs use their extraction processes.
        sites.worker.stop(),
        documents.stop(),
        conversationTexts.stop(),
      ]);
    },
  };
}

function createAttachments(
  app: App,
  deps: AppDeps,
  { documents, checkpoint }: { documents: ReturnType<typeof createDocuments>; checkpoint: Checkpoint },
) {
  const pictures = createPictureRewriter();
  app.addHook("onClose", () => pictures.stop());
  const attachments = createAttachmentService(deps, { ...documents.parts, pictures });
  return { attachments, attachmentSweeper: createAttachmentSweeper(deps, { attachments, checkpoint }) };
}

function createChat(
  deps: AppDeps,
  parts: Omit<Parameters<typeof createChatService>[1], "rollouts">,
  {
    toolRunner,
    visitorTriggers,
    ...sources
  }: Pick<Parameters<typeof createChatService>[2], "documentsOf" | "notesOf" | "humanToolOf"> & {
    toolRunner: ReturnType<typeof createToolRunner>;
    visitorTriggers: ReturnType<typeof createVisitorTriggers>;
  },
): ChatService {
  const allParts = { ...parts, rollouts: createRollouts(deps) };
  return createChatService(deps, allParts, {
    ...sources,
    toolsOf: createAgentTools(deps, { runner: toolRunner, frozenTools: createFrozenTools(deps) }),
    openingOf: visitorTriggers.openingMessage,
    handoffNotesOf: createHandoffNotes(deps.db),
  });
}

/** Registers sign-in, members, keys and the audit log. */
function addAccounts(app: App, deps: AppDeps): AuditLog {
  return accountRoutes(app, deps, {
    consumeAttempt: createSignInLimit(app, deps.config),
    loadLibrary: () => import("./auth/sign-in/library.ts"),
    onMemberRemoved: scheduleRelease,
  });
}

function addAgents(
  app: App,
  deps: AppDeps,
  parts: { agents: AgentService; trash: Trash; drafts: Drafts; idempotency: Idempotency; copyContent: CopyContent },
) {
  const { agents, trash, drafts, idempotency, copyContent } = parts;
  agentRoutes(app, { agents, trash: trash.agents, idempotency, copyContent });
  identityTokenRoutes(app, agents);
  agentImageRoutes(app, createAgentImageService(deps, { agents, drafts }));
}

/** Registers the versions of agents, their files, and what tries a version out. */
function addVersions(
  app: App,
  deps: AppDeps,
  {
    evaluations,
    ...parts
  }: Omit<Parameters<typeof createVersionService>[1], "requirePassingTests"> &
    Omit<Parameters<typeof createAgentFileService>[1], "fileTests"> & { evaluations: Evaluations },
) {
  const { requirePassing } = evaluations.testRuns;
  versionRoutes(app, createVersionService(deps, { ...parts, requirePassingTests: requirePassing }));
  evaluationRoutes(app, evaluations);
  agentFileRoutes(app, createAgentFileService(deps, { ...parts, fileTests }));
}

function addTools(
  app: App,
  parts: {
    tools: ToolService;
    trash: Trash;
    toolRunner: ReturnType<typeof createToolRunner>;
    webhookSecrets: ReturnType<typeof createWebhookSecrets>;
    accountSecrets: ReturnType<typeof createSecretService>;
    idempotency: Idempotency;
  },
) {
  const { tools, trash, toolRunner, webhookSecrets, accountSecrets, idempotency } = parts;
  toolRoutes(app, { tools, trash: trash.tools, runner: toolRunner, webhookSecrets, idempotency });
  secretRoutes(app, accountSecrets);
}

function addKnowledge(
  app: App,
  parts: {
    documents: ReturnType<typeof createDocuments>;
    sites: ReturnType<typeof createSites>;
    idempotency: Idempotency;
  },
) {
  const { documents, sites, idempotency } = parts;
  documentRoutes(app, { documents: documents.service, trash: documents.trash, idempotency });
  answerRoutes(app, documents.answers);
  sourceRoutes(app, sites.service, idempotency);
  embeddingRoutes(app, documents.embeddings);
}

/** Registers the events and notices about visitors who are waiting for a person. */
function addNotices(
  app: App,
  deps: AppDeps,
  parts: {
    agents: AgentService;
    conversations: ConversationService;
    attachments: AttachmentService;
    outbox: Outbox;
    inbox: InboxService;
    live: LiveStreams;
    recorder: NoticeRecorder;
    conversationLog: ConversationLog;
    assignConversation: AssignConversation;
  },
) {
  const teamAssignment = createTeamAssignment(deps, { ...parts, isPresent: parts.live.isPresent });
  const teamChats = createTeamChats(deps, parts);
  const { service, timers } = createNotices(deps, { ...parts, teamChats, isPresent: parts.live.isPresent });
  noticeRoutes(app, service);
  teamChatRoutes(app, teamChats);
  return {
    service,
    start() {
      timers.start();
      teamAssignment.start();
      teamChats.worker.start();
    },
    async stop() {
      await Promise.all([timers.stop(), teamAssignment.stop(), teamChats.worker.stop()]);
    },
  };
}

async function startWorkers(...workers: Array<{ start(): void }>): Promise<void> {
  for (const worker of workers) worker.start();
}

type Conversations = {
  conversationLog: ConversationLog;
  agents: AgentService;
  conversations: ConversationService;
  attachments: AttachmentService;
  chat: ChatService;
  marks: ConversationMarks;
  trash: Trash;
  desk: Desk;
  documents: ReturnType<typeof createDocuments>;
  inbox: InboxService;
  live: LiveStreams;
  forms: Forms;
  visitors: VisitorService;
  idempotency: Idempotency;
};

/** Registers the routes for what visitors write: conversations and form submissions. */
function addConversations(app: App, deps: AppDeps, parts: Conversations) {
  const { agents, conversations, attachments, marks, trash, desk, chat, documents } = parts;
  const { conversationLog, forms, visitors, idempotency } = parts;
  const analytics = createConversationAnalytics(deps, agents);
  const visitorLimit = registerVisitorLimit(app, deps.config);
  const failures = createReplyFailures(deps);
  conversationRoutes(app, {
    conversations,
    marks,
    analytics,
    failures,
    readTrace: (place) => readTrace(deps, place),
    deleteConversation: trash.deletion.delete,
    trash: trash.conversations,
    applyView: desk.views.apply,
  });
  const ratings = createRatingService(deps, {
    agents,
    conversations,
    log: conversationLog,
    onSeen: (conversationId) => recordRatingSeen(deps.db, conversationId),
  });
  ratingRoutes(app, ratings);
  ratingPageRoutes(app, deps.config, ratings);
  statusRoutes(app, createStatusService(deps, { conversations, log: conversationLog }));
  attachmentRoutes(app, deps, { agents, conversations, attachments });
  tagRoutes(app, desk.tags);
  visitorRoutes(app, deps, { visitors, conversations, attachments, forms: forms.service, idempotency });
  chatRoutes(app, deps, { chat, conversations, visitorLimit });
  const documentsOf = createReplyDocuments(documents.service, deps.encryption, deps.log);
  const attachmentsOf = createAttachmentLoader(attachments, deps.config.limits.modelFileBytesPerIp);
  const writing = { documentsOf, notesOf: forms.notesOf, attachmentsOf };
  addInboxRoutes(app, deps, { ...parts, writing });
  formRoutes(app, deps, forms);
  submitRoutes(app, deps, { ...forms, conversations, idempotency });
}

/** Registers the routes with few dependencies: setup, providers, mail recipients, the pages and the widget's files. */
function addPages(
  app: App,
  deps: AppDeps,
  { agents, audit, mailRecipients }: { agents: AgentService; audit: AuditLog; mailRecipients: MailRecipients },
) {
  setupRoutes(app, createSetupService(deps, agents, audit));
  providerRoutes(app, deps);
  priceRoutes(app, deps);
  modelSettingsRoutes(app, deps);
  visitorAgentRoutes(app, deps, agents);
  pageRoutes(app, deps.config, agents);
  mailRecipientRoutes(app, mailRecipients);
  confirmRecipientRoutes(app, deps.config, mailRecipients);
  dashboardRoutes(app, deps.config);
  docsRoutes(app, deps.config);
  widgetRoutes(app);
  const { basePath } = deps.config;
  app.get("/", { config: { access: "public" }, schema: { hide: true } }, (_, reply) =>
    reply.redirect(`${basePath}/dashboard`),
  );
}

/** Copies everything that a duplicated agent receives besides its settings. */
function copyAgentContent(tools: ToolService, triggers: TriggerService): CopyContent {
  return async (trx, agents) => {
    await triggers.copyAll(trx, agents, await tools.copyAll(trx, agents));
    await copyTests(trx, agents);
  };
}

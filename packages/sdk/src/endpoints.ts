import type * as contract from "@foyer/contract";
import type { Static, TSchema } from "typebox";

type Declared = Extract<(typeof contract)[keyof typeof contract], { method: string; url: string }>;

/**
 * The endpoints that a management call can reach, by name. Endpoints that respond with a redirect are opened by a
 * browser instead.
 */
type Contract = {
  [Name in keyof typeof contract as (typeof contract)[Name] extends Declared ? Name : never]: (typeof contract)[Name];
};
export type EndpointName = keyof typeof endpoints;

type SchemaOf<Name extends EndpointName> = Contract[Name]["schema"];
type Part<Schema, Key extends string> = Schema extends { [K in Key]: infer T extends TSchema } ? Static<T> : unknown;
type Body<Schema> = Schema extends { body: infer T extends TSchema } ? { body: Static<T> } : unknown;

/** The input of a call: path and query parameters as properties, and `body`. */
export type Input<Name extends EndpointName> = Part<SchemaOf<Name>, "params"> &
  Part<SchemaOf<Name>, "querystring"> &
  Body<SchemaOf<Name>>;

type Response<Schema> = Schema extends { response: { 200: infer T extends TSchema } }
  ? Static<T>
  : Schema extends { response: { 201: infer T extends TSchema } }
    ? Static<T>
    : Schema extends { response: { 202: infer T extends TSchema } }
      ? Static<T>
      : unknown;

/** The `data` of an enveloped response; otherwise the whole response. */
type Opened<Answer> = Answer extends { data: infer Data; error: null }
  ? Answer extends { pagination: infer P }
    ? { data: Data; pagination: P }
    : Data
  : Answer;
export type Output<Name extends EndpointName> = Opened<Response<SchemaOf<Name>>>;

/** The compiler checks this list against the contract, so this file does not import the contract at run time. */
export const endpoints = {
  acceptInvitation: ["POST", "/invitations/:id/accept"],
  assignConversation: ["POST", "/conversations/:id/assign"],
  cancelHandoff: ["DELETE", "/conversations/:id/handoff"],
  changeDocuments: ["POST", "/documents/bulk"],
  changePassword: ["POST", "/auth/change-password"],
  checkIdentityToken: ["POST", "/agents/:id/identity-token/check"],
  checkSetUpToken: ["POST", "/auth/setup/check"],
  claimToolCall: ["POST", "/chat/:conversationId/tool-claims"],
  closeConversation: ["POST", "/conversations/:id/close"],
  createAgent: ["POST", "/agents"],
  createApiKey: ["POST", "/api-keys"],
  createCannedReply: ["POST", "/canned-replies"],
  createDocument: ["POST", "/documents"],
  createIdentityToken: ["POST", "/agents/:id/identity-token"],
  createInvitation: ["POST", "/invitations"],
  createMailRecipient: ["POST", "/mail-recipients"],
  createNote: ["POST", "/conversations/:id/notes"],
  createNoticeChannel: ["POST", "/notice-channels"],
  createPushSubscription: ["POST", "/notices/push-subscriptions"],
  createSecret: ["POST", "/secrets"],
  createSource: ["POST", "/sources"],
  createTeamChatCode: ["POST", "/notice-channels/:id/link-code"],
  createTool: ["POST", "/tools"],
  createTrigger: ["POST", "/triggers"],
  createWebhook: ["POST", "/webhooks"],
  deleteAgent: ["DELETE", "/agents/:id"],
  deleteAgentImage: ["DELETE", "/agents/:id/images/:kind"],
  deleteApiKey: ["DELETE", "/api-keys/:id"],
  deleteCannedReply: ["DELETE", "/canned-replies/:id"],
  deleteConversation: ["DELETE", "/conversations/:id"],
  deleteDocument: ["DELETE", "/documents/:id"],
  deleteInvitation: ["DELETE", "/invitations/:id"],
  deleteMailRecipient: ["DELETE", "/mail-recipients/:id"],
  deleteNote: ["DELETE", "/conversations/:id/notes/:noteId"],
  deleteNoticeChannel: ["DELETE", "/notice-channels/:id"],
  deleteProvider: ["DELETE", "/models/providers/:provider"],
  deletePushSubscription: ["DELETE", "/notices/push-subscriptions/:id"],
  deleteSecret: ["DELETE", "/secrets/:name"],
  deleteSource: ["DELETE", "/sources/:id"],
  deleteSubmission: ["DELETE", "/form-submissions/:id"],
  deleteTeamChatLink: ["DELETE", "/notice-channels/:id/link"],
  deleteTool: ["DELETE", "/tools/:id"],
  deleteTrigger: ["DELETE", "/triggers/:id"],
  deleteWebhook: ["DELETE", "/webhooks/:id"],
  dismissUnansweredQuestions: ["POST", "/documents/unanswered/dismiss"],
  draftReply: ["POST", "/conversations/:id/draft"],
  duplicateAgent: ["POST", "/agents/:id/duplicate"],
  duplicateTool: ["POST", "/tools/:id/duplicate"],
  duplicateTrigger: ["POST", "/triggers/:id/duplicate"],
  eraseVisitor: ["POST", "/visitors/erase"],
  getAgent: ["GET", "/agents/:id"],
  getAgentWidget: ["GET", "/agents/:id/widget"],
  getConversation: ["GET", "/conversations/:id"],
  getConversationAnalytics: ["GET", "/conversations/analytics"],
  getDoctor: ["GET", "/doctor"],
  getDocument: ["GET", "/documents/:id"],
  getDocumentEmbeddings: ["GET", "/documents/embeddings"],
  getDocumentLimits: ["GET", "/documents/limits"],
  getDocumentText: ["GET", "/documents/:id/text"],
  getEventFeed: ["GET", "/events/feed"],
  getFormAnalytics: ["GET", "/form-submissions/analytics"],
  getIdentitySecret: ["GET", "/agents/:id/identity-secret"],
  getInvitation: ["GET", "/invitations/:id"],
  getNoticeSettings: ["GET", "/notices"],
  getPlan: ["GET", "/plan"],
  getPushKey: ["GET", "/notices/push-key"],
  getSession: ["GET", "/auth/session"],
  getSignInOptions: ["GET", "/auth/options"],
  getSource: ["GET", "/sources/:id"],
  getSubmission: ["GET", "/form-submissions/:id"],
  getTool: ["GET", "/tools/:id"],
  getToolLimits: ["GET", "/tools/limits"],
  getTrigger: ["GET", "/triggers/:id"],
  getTriggerStats: ["GET", "/triggers/stats"],
  getVisitorData: ["GET", "/visitors/data"],
  getVisitorForm: ["GET", "/triggers/form/:toolIdOrName"],
  getWebhook: ["GET", "/webhooks/:id"],
  getWebhookSecret: ["GET", "/tools/:id/webhook-secret"],
  getWebhookSigningSecret: ["GET", "/webhooks/:id/secret"],
  listAgents: ["GET", "/agents"],
  listApiKeys: ["GET", "/api-keys"],
  listAuditLog: ["GET", "/audit-log"],
  listCannedReplies: ["GET", "/canned-replies"],
  listConversations: ["GET", "/conversations"],
  listDocumentChunks: ["GET", "/documents/:id/chunks"],
  listDocumentUses: ["GET", "/documents/:id/uses"],
  listDocuments: ["GET", "/documents"],
  listEvents: ["GET", "/events"],
  listInvitations: ["GET", "/invitations"],
  listMailRecipients: ["GET", "/mail-recipients"],
  listMembers: ["GET", "/members"],
  listModels: ["GET", "/models"],
  listNotes: ["GET", "/conversations/:id/notes"],
  listNoticeChannels: ["GET", "/notice-channels"],
  listPendingLinks: ["GET", "/members/links"],
  listProviderFailures: ["GET", "/models/failures"],
  listProviders: ["GET", "/models/providers"],
  listSecrets: ["GET", "/secrets"],
  listSourcePages: ["GET", "/sources/:id/pages"],
  listSources: ["GET", "/sources"],
  listSubmissions: ["GET", "/form-submissions"],
  listToolErrors: ["GET", "/tools/errors"],
  listTools: ["GET", "/tools"],
  listTriggerTemplates: ["GET", "/triggers/templates"],
  listTriggers: ["GET", "/triggers"],
  listUnansweredQuestions: ["GET", "/documents/unanswered"],
  listWebhookDeliveries: ["GET", "/webhooks/:id/deliveries"],
  listWebhooks: ["GET", "/webhooks"],
  listWidgetTriggers: ["GET", "/triggers/widget/:agentId"],
  previewSource: ["POST", "/sources/preview"],
  putAgentImage: ["PUT", "/agents/:id/images/:kind"],
  putDocumentByKey: ["PUT", "/documents/by-key/:externalKey"],
  putDocumentEmbeddings: ["PUT", "/documents/embeddings"],
  putEventFeed: ["PUT", "/events/feed"],
  putNoticeSettings: ["PUT", "/notices"],
  putProvider: ["PUT", "/models/providers/:provider"],
  putSecret: ["PUT", "/secrets/:name"],
  rateMessage: ["POST", "/conversations/:id/feedback"],
  readConversation: ["POST", "/conversations/:id/read"],
  recordFormEvent: ["POST", "/form-submissions/event"],
  recordTriggerEvent: ["POST", "/triggers/event"],
  removeMember: ["DELETE", "/members/:id"],
  reportClientResult: ["POST", "/form-submissions/client-result"],
  reportTyping: ["POST", "/conversations/:id/typing"],
  requestHuman: ["POST", "/conversations/:id/handoff"],
  requestPasswordReset: ["POST", "/auth/request-password-reset"],
  resetPassword: ["POST", "/auth/reset-password"],
  retryDocument: ["POST", "/documents/:id/retry"],
  retrySubmission: ["POST", "/form-submissions/:id/retry"],
  retrySubmissions: ["POST", "/form-submissions/retry"],
  retryWebhook: ["POST", "/webhooks/:id/retry"],
  retryWebhookDelivery: ["POST", "/webhooks/:id/deliveries/:deliveryId/retry"],
  returnConversation: ["POST", "/conversations/:id/return"],
  rotateIdentitySecret: ["POST", "/agents/:id/identity-secret/rotate"],
  rotateWebhookSecret: ["POST", "/tools/:id/webhook-secret/rotate"],
  rotateWebhookSigningSecret: ["POST", "/webhooks/:id/secret/rotate"],
  searchDocuments: ["POST", "/documents/search"],
  sendMagicLink: ["POST", "/auth/magic-link"],
  sendMailRecipientLink: ["POST", "/mail-recipients/:id/confirmation"],
  sendMemberMessage: ["POST", "/conversations/:id/messages"],
  sendToolResult: ["POST", "/chat/:conversationId/tool-results"],
  sendVerificationEmail: ["POST", "/auth/send-verification-email"],
  setUp: ["POST", "/auth/setup"],
  signInByEmail: ["POST", "/auth/sign-in/email"],
  signOut: ["POST", "/auth/sign-out"],
  signUpByEmail: ["POST", "/auth/sign-up/email"],
  stopChat: ["POST", "/chat/:conversationId/stop"],
  stopSource: ["POST", "/sources/:id/stop"],
  submitForm: ["POST", "/form-submissions/submit"],
  switchOrganization: ["POST", "/auth/switch-organization"],
  syncSource: ["POST", "/sources/:id/sync"],
  takeOver: ["POST", "/conversations/:id/takeover"],
  testNoticeChannel: ["POST", "/notice-channels/:id/test"],
  testProvider: ["POST", "/models/providers/:provider/test"],
  testPushSubscription: ["POST", "/notices/push-subscriptions/:id/test"],
  testTool: ["POST", "/tools/:id/test"],
  testWebhook: ["POST", "/webhooks/:id/test"],
  toggleTrigger: ["POST", "/triggers/:id/toggle"],
  updateAgent: ["PATCH", "/agents/:id"],
  updateCannedReply: ["PATCH", "/canned-replies/:id"],
  updateDocument: ["PUT", "/documents/:id"],
  updateMember: ["PATCH", "/members/:id"],
  updateNoticeChannel: ["PATCH", "/notice-channels/:id"],
  updateOrganization: ["PATCH", "/organization"],
  updateProfile: ["PATCH", "/auth/profile"],
  updateSource: ["PUT", "/sources/:id"],
  updateTool: ["PUT", "/tools/:id"],
  updateTrigger: ["PUT", "/triggers/:id"],
  updateWebhook: ["PATCH", "/webhooks/:id"],
  uploadDocument: ["POST", "/documents/upload"],
} as const satisfies { [Name in keyof Contract]?: readonly [Contract[Name]["method"], Contract[Name]["url"]] };

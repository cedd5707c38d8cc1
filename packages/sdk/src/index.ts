export type {
  Agent,
  AgentSummary,
  AgentWidget,
  ApiKey,
  AuditEntry,
  ChatEvent,
  ChatRequest,
  ClientResult,
  Conversation,
  ConversationLiveEvent,
  ConversationSummary,
  Delivery,
  Display,
  DisplayConfig,
  ErrorCode,
  FormAnalyticsEntry,
  FormEvent,
  FormField,
  FormSchema,
  FormSubmission,
  FormSubmissionDetail,
  FormSubmit,
  InboxChange,
  InboxEvent,
  Invitation,
  Member,
  Message,
  ModelInfo,
  Ownership,
  Person,
  Plan,
  PostAction,
  ProviderInfo,
  Rating,
  Role,
  Secret,
  Session,
  Source,
  StopReason,
  SubmissionStatus,
  SubmitResult,
  Tool,
  ToolCall,
  ToolCallResult,
  ToolClaim,
  ToolLimits,
  Trigger,
  TriggerEvent,
  TriggerTemplate,
  Usage,
  VisitorForm,
  WidgetTrigger,
} from "@foyer/contract";
export { type AttachmentOwner, attach } from "./attach.ts";
export {
  type ConversationKey,
  resumeChat,
  type StreamEvent,
  type StreamOptions,
  stopChat,
  streamChat,
} from "./chat-stream.ts";
export { createClient, type FoyerClient } from "./client.ts";
export type { EndpointName, Input, Output } from "./endpoints.ts";
export { recordFormEvent, reportClientResult, submitForm } from "./form-calls.ts";
export { FoyerError, type FoyerErrorCode } from "./foyer-error.ts";
export {
  conversationEvents,
  inboxEvents,
  type LiveEvent,
  type LiveStreamOptions,
  reportSeen,
  reportTyping,
} from "./live-streams.ts";
export { getWidget, recordTriggerEvent } from "./loader-calls.ts";
export {
  type CallOptions,
  createManagementClient,
  type ManagementClient,
  type ManagementConnection,
} from "./management-client.ts";
export {
  claimToolCall,
  createPageToolRunner,
  DECLINED,
  type PageTool,
  type PageToolCall,
  type PageToolRunner,
  sendToolResult,
} from "./page-tools.ts";
export { paginate } from "./paginate.ts";
export {
  createReplyState,
  foldReply,
  type ReplyPart,
  type ReplyState,
  type TextPart,
  type ToolPart,
  toParts,
} from "./reply.ts";
export { type Connection, createRequest, type Request, type RequestOptions, type UserProof } from "./request.ts";
export { type FormWebhook, verifyWebhook } from "./verify-webhook.ts";
export {
  beginConversation,
  deleteConversation,
  getConversation,
  getForm,
  getTriggers,
  type MessageRating,
  rateMessage,
} from "./visitor-calls.ts";

export type {
  AgentWidget,
  ChatEvent,
  ChatRequest,
  ClientResult,
  Conversation,
  Display,
  FormEvent,
  FormSubmit,
  Message,
  Rating,
  SubmitResult,
  TriggerEvent,
  VisitorForm,
  WidgetTrigger,
} from "@foyer/contract";
export { type ConversationKey, resumeChat, type StreamOptions, stopChat, streamChat } from "./chat-stream.ts";
export { createClient, type FoyerClient } from "./client.ts";
export type { EndpointName, Input, Output } from "./endpoints.ts";
export { FoyerError, type FoyerErrorCode } from "./foyer-error.ts";
export { type CallOptions, createManagementClient, type ManagementClient } from "./management-client.ts";
export { type Connection, createRequest, type Request, type RequestOptions } from "./request.ts";
export {
  getConversation,
  getForm,
  getTriggers,
  getWidget,
  rateMessage,
  recordFormEvent,
  recordTriggerEvent,
  reportClientResult,
  submitForm,
} from "./visitor-calls.ts";

import type { ChatRequest, ClientResult, FormEvent, FormSubmit, Rating, TriggerEvent } from "@foyer/contract";
import { type ConversationKey, resumeChat, type StreamOptions, stopChat, streamChat } from "./chat-stream.ts";
import { type Connection, createRequest } from "./request.ts";
import * as calls from "./visitor-calls.ts";

export type FoyerClient = ReturnType<typeof createClient>;

/** All that a visitor may ask of a server, without any key. Every call rejects with a FoyerError. */
export function createClient(connection: Connection) {
  const request = createRequest(connection);
  return {
    /** See `streamChat`. */
    chat: (body: ChatRequest, options?: StreamOptions) => streamChat(request, body, options),
    /** See `resumeChat`. */
    resume: (conversation: ConversationKey, options?: StreamOptions & { lastEventId?: string }) =>
      resumeChat(request, conversation, options),
    stop: (conversation: ConversationKey) => stopChat(request, conversation),
    conversation: (conversation: ConversationKey) => calls.getConversation(request, conversation),
    rate: (conversation: ConversationKey, messageId: string, rating: Rating) =>
      calls.rateMessage(request, conversation, messageId, rating),
    widget: (agentId: string) => calls.getWidget(request, agentId),
    triggers: (agentId: string) => calls.getTriggers(request, agentId),
    recordTriggerEvent: (event: TriggerEvent) => calls.recordTriggerEvent(request, event),
    form: (toolIdOrName: string, agentId: string) => calls.getForm(request, toolIdOrName, agentId),
    /** See `submitForm`. */
    submitForm: (submission: FormSubmit, options?: Parameters<typeof calls.submitForm>[2]) =>
      calls.submitForm(request, submission, options),
    reportClientResult: (result: ClientResult) => calls.reportClientResult(request, result),
    recordFormEvent: (event: FormEvent) => calls.recordFormEvent(request, event),
  };
}

import type {
  ChatRequest,
  ClientResult,
  FormEvent,
  FormSubmit,
  ToolCallResult,
  ToolClaim,
  TriggerEvent,
} from "@foyer/contract";
import { attach } from "./attach.ts";
import { type ConversationKey, resumeChat, type StreamOptions, stopChat, streamChat } from "./chat-stream.ts";
import * as formCalls from "./form-calls.ts";
import { conversationEvents, type LiveStreamOptions, reportSeen, reportTyping } from "./live-streams.ts";
import * as loaderCalls from "./loader-calls.ts";
import { claimToolCall, type PageTool, sendToolResult, withPageTools } from "./page-tools.ts";
import { type Connection, createRequest } from "./request.ts";
import * as calls from "./visitor-calls.ts";

/** `tools` contains the client tools that run in this page, by name. */
type ToolOptions = StreamOptions & { tools?: Readonly<Record<string, PageTool>> };

export type FoyerClient = ReturnType<typeof createClient>;

/**
 * The calls of a visitor's browser. They need no API key; a conversation is accessed with the token from its first
 * event. Every call rejects with a FoyerError.
 */
export function createClient(connection: Connection) {
  const request = createRequest(connection);
  return {
    /**
     * Sends a message and yields the events of the reply up to `message_stop`. Reconnects when the connection breaks,
     * without losing or repeating an event. To continue a conversation, pass its `conversationId` in the body and its
     * `token` in the options. With a `messageKey` in the body, you can call it again after an error without
     * sending the message twice; for the first message of a conversation, the key must be a random UUID, and the body
     * needs a `sessionId`. The agent can call the client tools in `tools` by name.
     */
    chat: (body: ChatRequest, { tools, ...options }: ToolOptions & { token?: string | undefined } = {}) => {
      if (!tools) return streamChat(request, body, options);
      const { conversationId, clientTools = Object.keys(tools) } = body;
      const known = conversationId && options.token ? { id: conversationId, token: options.token } : null;
      const events = streamChat(request, { ...body, clientTools }, options);
      return withPageTools(request, events, { tools, known, sessionId: body.sessionId });
    },
    /**
     * Yields the events of a conversation's newest reply, after the event `lastEventId` or from the beginning. With
     * `tools`, pass the `sessionId` of your chats: a call that answers a message of another session is not run, because
     * someone else may have given the visitor the conversation's token.
     */
    resume: (
      conversation: ConversationKey,
      { tools, sessionId, ...options }: ToolOptions & { lastEventId?: string; sessionId?: string } = {},
    ) => {
      const events = resumeChat(request, conversation, options);
      return tools ? withPageTools(request, events, { tools, known: conversation, sessionId }) : events;
    },
    /** Claims a call of a client tool that you run yourself, without `tools`. Run it only if this succeeds. */
    claimToolCall: (conversation: ConversationKey, claim: ToolClaim) => claimToolCall(request, conversation, claim),
    /** Sends the result of a client tool that you run yourself, without `tools`. */
    sendToolResult: (conversation: ConversationKey, result: ToolCallResult) =>
      sendToolResult(request, conversation, result),
    /** Stops the running reply. The text generated so far is stored. */
    stop: (conversation: ConversationKey) => stopChat(request, conversation),
    /**
     * Follows a conversation in which the visitor is waiting for a person or talking to one. Yields changes of who
     * handles it, messages and typing. Reconnects as often as necessary and ends after the event that returns the
     * conversation to the agent.
     */
    events: (conversation: ConversationKey, options?: LiveStreamOptions) =>
      conversationEvents(request, conversation, options),
    /** Tells the team that the visitor is typing. Repeat it every three seconds while they type. */
    reportTyping: (conversation: ConversationKey) => reportTyping(request, conversation),
    /**
     * Reports that the visitor has seen the conversation, up to the message with this id or up to the last one. What a
     * person wrote so far is then not sent to the visitor by email. Call it when your page shows such a message.
     */
    reportSeen: (conversation: ConversationKey, messageId?: string) => reportSeen(request, conversation, messageId),
    /**
     * Begins a conversation with messages that no model answers. Call it after `chat` has failed with 503, with the same
     * body, so that a person can be requested.
     */
    begin: (body: Parameters<typeof calls.beginConversation>[1]) => calls.beginConversation(request, body),
    /**
     * Uploads a picture or a file for a message. Send the `id` of the result in `attachments` of the next `chat` within
     * an hour. Without a conversation, pass the `sessionId` of the chat. The agent's `attachments` must allow it.
     */
    attach: (file: Blob, options: Parameters<typeof attach>[2]) => attach(request, file, options),
    /** The conversation with all its messages, oldest first. */
    conversation: (conversation: ConversationKey) => calls.getConversation(request, conversation),
    /** Deletes the conversation permanently. With `submissions`, also deletes the forms that were submitted in it. */
    deleteConversation: (conversation: ConversationKey, options?: { submissions?: boolean }) =>
      calls.deleteConversation(request, conversation, options),
    /**
     * Rates a message of the agent. `comment` (at most 1,000 characters) is the reason. A later rating replaces the
     * earlier one and its comment.
     */
    rate: (conversation: ConversationKey, rating: calls.MessageRating) =>
      calls.rateMessage(request, conversation, rating),
    /** The agent's public settings: name, greeting, suggestions, colors. */
    widget: (agentId: string) => loaderCalls.getWidget(request, agentId),
    /** The agent's enabled triggers, in the order in which they run. */
    triggers: (agentId: string) => calls.getTriggers(request, agentId),
    /** Reports that a trigger fired or converted. It is sent even if the page is being closed. */
    recordTriggerEvent: (event: TriggerEvent) => loaderCalls.recordTriggerEvent(request, event),
    /** A form of the agent, by the id or the name of its tool. */
    form: (toolIdOrName: string, agentId: string) => calls.getForm(request, toolIdOrName, agentId),
    /**
     * Submits a form. Pass an `idempotencyKey` (1 to 255 visible ASCII characters) to make a repeated call safe: the
     * same key creates one submission.
     */
    submitForm: (submission: FormSubmit, options?: Parameters<typeof formCalls.submitForm>[2]) =>
      formCalls.submitForm(request, submission, options),
    /** Reports the outcome of your own form handler. It is sent even if the page is being closed. */
    reportClientResult: (result: ClientResult) => formCalls.reportClientResult(request, result),
    /**
     * Reports that a form was shown or started, or that a field was completed. It is sent even if the page is being
     * closed.
     */
    recordFormEvent: (event: FormEvent) => formCalls.recordFormEvent(request, event),
  };
}

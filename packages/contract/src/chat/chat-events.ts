import Type, { type Static } from "typebox";
import { FollowUps, Source, stopReasons } from "../conversations/conversation.ts";
import { noticeCode } from "../conversations/notices.ts";
import { Usage } from "../conversations/usage.ts";
import { VisitorForm } from "../forms/form.ts";
import { nullable, ref, stringEnum, withDescription } from "../schema.ts";
import { DisplayConfig } from "../tools/tool.ts";

const index = Type.Integer({
  minimum: 0,
  description: "Position of the text block or tool call in the message, from 0",
});

export const MessageStartEvent = Type.Object(
  {
    type: Type.Literal("message_start"),
    conversationId: Type.String({ description: "Send it with the next message to continue the conversation." }),
    messageId: Type.String({ description: "Id of the reply" }),
    conversationToken: nullable(
      Type.String({
        description:
          "Bearer token that reads, rates, resumes and stops this one conversation. `null` for a request that continued the conversation by its id alone.",
      }),
    ),
  },
  { $id: "MessageStartEvent", description: "The first event of every stream. It is sent before the model answers." },
);

export const ContentBlockStartEvent = Type.Object(
  { type: Type.Literal("content_block_start"), index },
  { $id: "ContentBlockStartEvent", description: "A block of text begins." },
);

export const ContentBlockDeltaEvent = Type.Object(
  {
    type: Type.Literal("content_block_delta"),
    index,
    delta: Type.Object({
      type: Type.Literal("text_delta"),
      text: Type.String({ description: "Markdown to append to the block" }),
    }),
  },
  { $id: "ContentBlockDeltaEvent", description: "More text of a block." },
);

export const ContentBlockStopEvent = Type.Object(
  { type: Type.Literal("content_block_stop"), index },
  { $id: "ContentBlockStopEvent", description: "A block of text is complete." },
);

export const ToolUseStartEvent = Type.Object(
  {
    type: Type.Literal("tool_use_start"),
    index,
    id: Type.String({ description: "Id of the call. `tool_result` refers to it as `toolUseId`." }),
    name: Type.String({ description: "Name of the tool" }),
    label: Type.Optional(
      nullable(
        Type.String({
          description: "The label that visitors read instead of the name. Replies stored by earlier versions lack it.",
        }),
      ),
    ),
    toolId: nullable(Type.String({ description: "`null` when the model calls a tool that does not exist" })),
    executionType: nullable(
      Type.String({
        description:
          "`mock`, `http`, `form`, `client` for a tool that the page runs, `documents` for a search of the agent's documents, or `handoff` for a request for a person",
      }),
    ),
    input: Type.Unknown({ description: "The input that the model chose" }),
  },
  { $id: "ToolUseStartEvent", description: "The model calls a tool." },
);

export const ToolResultEvent = Type.Object(
  {
    type: Type.Literal("tool_result"),
    index,
    toolUseId: Type.String({ description: "Id of the call that produced this result" }),
    name: Type.String({ description: "Name of the tool" }),
    result: Type.Unknown({ description: "The part of the result that the visitor may see" }),
    isError: Type.Boolean({ description: "Whether the call failed. A failed call does not end the reply." }),
    displayConfig: Type.Unsafe<unknown>({
      ...nullable(DisplayConfig),
      description: "The tool's display configuration",
    }),
    display: Type.Unsafe<unknown>({
      type: ["object", "null"],
      properties: {
        type: { type: "string" },
        slots: { type: "object", additionalProperties: true },
        options: { type: "object", additionalProperties: true },
      },
      description: "The display with its slots filled from the result, ready to render",
    }),
    form: Type.Optional(
      Type.Unsafe<unknown>(withDescription(VisitorForm, { description: "The form to show. Only form tools send it." })),
    ),
  },
  { $id: "ToolResultEvent", description: "A tool call has ended." },
);

export const ErrorEvent = Type.Object(
  {
    type: Type.Literal("error"),
    error: Type.Object({
      code: Type.String({ description: "One of the error codes of the API" }),
      message: Type.String({ description: "The error message, without the model provider's own text" }),
    }),
  },
  { $id: "ErrorEvent", description: "The reply failed. `message_stop` follows." },
);

export const MessageStopEvent = Type.Object(
  {
    type: Type.Literal("message_stop"),
    messageId: Type.String({ description: "Id of the reply" }),
    stopReason: stringEnum(
      stopReasons,
      "`end_turn`: complete. `max_steps`: the model used all its steps. `max_tokens`: the model's limit of tokens cut the text. `content_filter`: the provider's content filter cut the text. `error`: failed. `aborted`: stopped or abandoned. `handed_over`: a member of the team has the conversation, or the visitor waits for one and the agent is silent.",
    ),
    usage: Type.Optional(Usage),
  },
  { $id: "MessageStopEvent", description: "The last event of every stream. It is sent after the reply is stored." },
);

export const SourcesEvent = Type.Object(
  { type: Type.Literal("sources"), sources: Type.Array(ref(Source)) },
  {
    $id: "SourcesEvent",
    description:
      "The passages of documents that the reply cites. Sent after the text and before `message_stop`, and only if there are any.",
  },
);

export const SuggestionsEvent = Type.Object(
  { type: Type.Literal("suggestions"), suggestions: FollowUps },
  {
    $id: "SuggestionsEvent",
    description:
      "Questions that the visitor may ask next. Sent after the text and before `message_stop`, if the agent has `followUps` and the model suggests any.",
  },
);

export const NoticeEvent = Type.Object(
  { type: Type.Literal("notice"), code: noticeCode },
  {
    $id: "NoticeEvent",
    description: "Something that the visitor should know about the reply. Sent before the text.",
  },
);

const schemas = [
  MessageStartEvent,
  ContentBlockStartEvent,
  ContentBlockDeltaEvent,
  ContentBlockStopEvent,
  ToolUseStartEvent,
  ToolResultEvent,
  NoticeEvent,
  SourcesEvent,
  SuggestionsEvent,
  ErrorEvent,
  MessageStopEvent,
] as const;
export type ChatEvent = Static<(typeof schemas)[number]>;

/** One event of the chat stream: the JSON in the event's `data`. `type` is also the event's name. */
export const ChatEventSchema = Type.Unsafe<ChatEvent>({
  $id: "ChatEvent",
  description: "The JSON in one event's `data` line. `type` equals the event's name.",
  oneOf: schemas.map((schema) => ref(schema)),
  discriminator: { propertyName: "type" },
});

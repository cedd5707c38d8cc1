import Type, { type Static } from "typebox";
import { inEnvelope, nullable, Success } from "../schema.ts";

/**
 * Limits of tools that run in the visitor's page: times in milliseconds, the size of a result in UTF-8 bytes of JSON,
 * and lengths in characters.
 */
export const clientToolLimits = {
  waitMs: 30_000,
  resultBytes: 16_384,
  errorCharacters: 1_000,
  idCharacters: 500,
} as const;

const toolUseId = Type.String({
  minLength: 1,
  maxLength: clientToolLimits.idCharacters,
  description: "`id` of the `tool_use_start` event",
});

export const ToolCallResult = Type.Object({
  toolUseId,
  result: Type.Optional(
    Type.Unknown({ description: "What the tool returned: any JSON of at most 16 KB. Defaults to `null`." }),
  ),
  error: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: clientToolLimits.errorCharacters,
        description: "Why the tool failed, instead of a result. The model reads it.",
      }),
    ),
  ),
});
export type ToolCallResult = Static<typeof ToolCallResult>;

export const ToolClaim = Type.Object({
  toolUseId,
  claimId: Type.String({ minLength: 8, maxLength: 100, description: "A random id of the page that runs the tool" }),
  sessionId: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        "The `sessionId` of the page's chats. With it, the claim fails if the call answers a message of another session: someone else may have the conversation's token.",
    }),
  ),
});
export type ToolClaim = Static<typeof ToolClaim>;

const tags = ["Chat"];
const params = Type.Object({ conversationId: Type.String({ description: "Id of the conversation" }) });
const config = { access: "conversation", crossOrigin: true } as const;

export const claimToolCall = {
  method: "POST",
  url: "/chat/:conversationId/tool-claims",
  config,
  schema: {
    tags,
    summary: "Claim a call of a client tool before running it",
    description:
      "Only one page may run a call. The first claim succeeds, and so does the same claim again. 409 `CONFLICT`: another page has claimed the call, or the reply no longer waits for it. Do not run the tool then.",
    params,
    body: ToolClaim,
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const sendToolResult = {
  method: "POST",
  url: "/chat/:conversationId/tool-results",
  config,
  schema: {
    tags,
    summary: "Send the result of a client tool, for which the reply is waiting",
    description:
      "The reply waits 30 seconds for the result. Sending the same result again returns 200. A different result, or one that arrives too late, returns 409 `CONFLICT`. Visitors can forge results, so tools on your server must not trust them.",
    params,
    body: ToolCallResult,
    response: { 200: inEnvelope(Success) },
  },
} as const;

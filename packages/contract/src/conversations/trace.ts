import Type, { type Static } from "typebox";
import { inEnvelope, nullable, ref, stringEnum, Timestamp } from "../schema.ts";

export const stepStatuses = ["ok", "error", "timeout", "aborted"] as const;
export type StepStatus = (typeof stepStatuses)[number];

const count = (description: string) => nullable(Type.Integer({ description }));
const tokens = {
  inputTokens: count("The whole input. `null` if the provider did not count it."),
  cachedInputTokens: count("The part of `inputTokens` that the provider read from its cache"),
  outputTokens: count("The whole output, thoughts included"),
  reasoningTokens: count("The part of `outputTokens` that the model has thought with"),
};
const cost = nullable(Type.Number({ description: "In the organization's currency. `null` if the price is unknown." }));

/** What a prompt consists of. */
export const PromptSize = Type.Object(
  {
    instructions: Type.Integer({ description: "The agent's instructions" }),
    documents: Type.Integer({ description: "Documents in the instructions, and the passages that searches returned" }),
    tools: Type.Integer({ description: "The names, descriptions and schemas of the tools" }),
    history: Type.Integer({
      description: "The messages of the conversation, with the calls and results of other tools",
    }),
  },
  { description: "The parts of the prompt, in characters (UTF-16 code units)" },
);
export type PromptSize = Static<typeof PromptSize>;

/** A call of a model or of a tool. The fields of the other kind are null. */
export const TraceStep = Type.Object(
  {
    kind: stringEnum(["model", "tool"]),
    name: Type.String({ description: "`reply` or `follow_ups` for a call of a model, or the tool's name" }),
    provider: nullable(Type.String()),
    model: nullable(Type.String({ description: "Id of the model that was asked last" })),
    startedAt: Timestamp,
    firstTokenMs: count("Time to the first part of the output, in milliseconds"),
    durationMs: Type.Integer(),
    ...tokens,
    retries: Type.Integer({ description: "Failed attempts before the model answered, also of other models" }),
    fallbackFrom: nullable(Type.String({ description: "Id of the agent's own model, if another one was asked" })),
    stopReason: nullable(Type.String({ description: "Why the model stopped, such as `end_turn` or `tool_use`" })),
    status: stringEnum(stepStatuses),
    bytes: count("Size of the tool's result for the model, in bytes"),
    promptSize: Type.Unsafe<PromptSize | null>({
      anyOf: [PromptSize, { type: "null" }],
      description: "What the model received. `null` for tools, and for calls before it was measured.",
    }),
    cost,
  },
  { $id: "TraceStep" },
);
export type TraceStep = Static<typeof TraceStep>;

export const ReplyTrace = Type.Object(
  {
    steps: Type.Array(ref(TraceStep), { description: "In the order in which they began" }),
    totals: Type.Object({
      durationMs: Type.Integer({ description: "From the start of the first step to the end of the last one" }),
      inputTokens: Type.Integer(),
      cachedInputTokens: Type.Integer(),
      outputTokens: Type.Integer(),
      reasoningTokens: Type.Integer(),
      cost,
      currency: Type.String({ description: "Code of the currency (ISO 4217)" }),
    }),
  },
  { $id: "ReplyTrace" },
);
export type ReplyTrace = Static<typeof ReplyTrace>;

export const getReplyTrace = {
  method: "GET",
  url: "/conversations/:id/messages/:messageId/trace",
  config: { access: "conversation" },
  schema: {
    tags: ["Conversations"],
    summary: "Read what a reply did, step by step",
    description: "A reply that ran before traces were recorded, or that called no model, has no steps.",
    params: Type.Object({
      id: Type.String({ description: "Id of the conversation" }),
      messageId: Type.String({ description: "Id of the reply" }),
    }),
    response: { 200: inEnvelope(ref(ReplyTrace)) },
  },
} as const;

import type { AgentRow } from "../db/tables.ts";
import type { UnpricedStep } from "../models/prices/service.ts";
import { describeModelTexts, describeText, describeToolTexts, type StepTexts } from "./span-texts.ts";

/** What a reply did. `errorCode` is the code of the failure that the visitor saw, or null. */
export type RecordedReply = {
  agent: Pick<AgentRow, "id" | "organizationId" | "name" | "temperature" | "maxOutputTokens">;
  /** the id of the agent's own model, also if another one answered */
  model: string;
  conversationId: string;
  messageId: string;
  startedAt: number;
  endedAt: number;
  stopReason: string;
  errorCode: string | null;
  steps: readonly RecordedStep[];
  question: string;
  answer: string;
};

/** A step of the reply with its texts, which are exported only if the operator wants them. */
export type RecordedStep = { step: UnpricedStep; texts: StepTexts };

type AttributeValue = string | number | boolean | string[];

/** A span before it is given to the SDK. Times are in milliseconds since 1970. */
export type ReplySpan = {
  name: string;
  /** `client` calls another system. `internal` runs in this process. */
  kind: "client" | "internal";
  startedAt: number;
  endedAt: number;
  /** the type of the error, or null */
  error: string | null;
  attributes: Record<string, AttributeValue>;
};

/**
 * Describes a reply as the span of its agent, by the GenAI semantic conventions of OpenTelemetry. Names that begin with
 * `foyer.` are not part of the conventions. `hasTexts` adds what the visitor and the model wrote.
 */
export function describeReply(reply: RecordedReply, hasTexts: boolean): ReplySpan {
  const { agent, model, steps } = reply;
  const sum = (name: TokenCount) =>
    steps.some(({ step }) => step[name] !== null)
      ? steps.reduce((total, { step }) => total + (step[name] ?? 0), 0)
      : null;
  return {
    name: `invoke_agent ${agent.name}`,
    kind: "internal",
    startedAt: reply.startedAt,
    // Durations are rounded, so the last step may seem to end after the reply.
    endedAt: Math.max(reply.endedAt, ...steps.map(({ step }) => step.startedAt + step.durationMs)),
    error: reply.errorCode,
    attributes: withoutNull({
      "gen_ai.operation.name": "invoke_agent",
      ...toModelNames(model),
      "gen_ai.agent.id": agent.id,
      "gen_ai.agent.name": agent.name,
      "gen_ai.conversation.id": reply.conversationId,
      "gen_ai.response.finish_reasons": [toFinishReason(reply.stopReason)],
      ...toUsage({
        inputTokens: sum("inputTokens"),
        cachedInputTokens: sum("cachedInputTokens"),
        outputTokens: sum("outputTokens"),
        reasoningTokens: sum("reasoningTokens"),
      }),
      "foyer.organization.id": agent.organizationId,
      "foyer.message.id": reply.messageId,
      "gen_ai.input.messages": hasTexts ? describeText("user", reply.question) : null,
      "gen_ai.output.messages": hasTexts ? describeText("assistant", reply.answer) : null,
    }),
  };
}

/** Describes the steps of a reply, which are the children of its span: one for each call of a model or a tool. */
export function describeSteps(reply: RecordedReply, hasTexts: boolean): ReplySpan[] {
  return reply.steps.map(({ step, texts }) => {
    const shown = hasTexts ? texts : null;
    return step.kind === "model" ? toChatSpan(step, reply, shown) : toToolSpan(step, shown);
  });
}

function toChatSpan(
  step: UnpricedStep,
  { agent, model, conversationId }: RecordedReply,
  texts: StepTexts | null,
): ReplySpan {
  const names = toModelNames(step.model ?? model);
  // Follow-up questions are asked for with the model's own settings.
  const isReply = step.name === "reply";
  const { cacheWriteTokens, firstTokenMs, stopReason } = step;
  const finishReason = stopReason === null ? null : toFinishReason(stopReason);
  return {
    ...toTimes(step),
    name: `chat ${names["gen_ai.request.model"]}`,
    kind: "client",
    attributes: withoutNull({
      "gen_ai.operation.name": "chat",
      ...names,
      "gen_ai.conversation.id": conversationId,
      "gen_ai.request.stream": true,
      "gen_ai.request.temperature": isReply ? agent.temperature / 100 : null,
      "gen_ai.request.max_tokens": isReply ? agent.maxOutputTokens : null,
      "gen_ai.response.finish_reasons": finishReason === null ? null : [finishReason],
      "gen_ai.response.time_to_first_chunk": firstTokenMs === null ? null : firstTokenMs / 1_000,
      ...toUsage(step),
      "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens > 0 ? cacheWriteTokens : null,
      "foyer.step.name": step.name,
      "foyer.step.status": step.status,
      "foyer.step.retries": step.retries,
      "foyer.step.fallback_from": step.fallbackFrom,
      ...(texts?.kind === "model" ? describeModelTexts(texts, finishReason ?? step.status) : {}),
    }),
  };
}

function toToolSpan(step: UnpricedStep, texts: StepTexts | null): ReplySpan {
  return {
    ...toTimes(step),
    name: `execute_tool ${step.name}`,
    kind: "internal",
    attributes: withoutNull({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": step.name,
      "gen_ai.tool.type": "function",
      "foyer.step.status": step.status,
      "foyer.tool.result_bytes": step.bytes,
      ...(texts?.kind === "tool" ? describeToolTexts(texts) : {}),
    }),
  };
}

/** A reply that a visitor stopped has not failed. */
function toTimes({ startedAt, durationMs, status }: UnpricedStep) {
  const error = status === "ok" || status === "aborted" ? null : status;
  return { startedAt, endedAt: startedAt + durationMs, error };
}

type TokenCount = "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens";

function toUsage(tokens: Pick<UnpricedStep, TokenCount>) {
  return {
    "gen_ai.usage.input_tokens": tokens.inputTokens,
    "gen_ai.usage.output_tokens": tokens.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": tokens.cachedInputTokens,
    "gen_ai.usage.reasoning.output_tokens": tokens.reasoningTokens,
  };
}

/** The conventions' names for providers. Others keep the name that Foyer has for them. */
const providerNames: Record<string, string> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** The provider and the model's name as it is sent to the provider. */
function toModelNames(modelId: string) {
  const slash = modelId.indexOf("/");
  const provider = modelId.slice(0, Math.max(slash, 0));
  return {
    "gen_ai.provider.name": provider === "" ? null : (providerNames[provider] ?? provider),
    "gen_ai.request.model": modelId.slice(slash + 1),
  };
}

const finishReasons: Record<string, string> = { end_turn: "stop", max_tokens: "length", tool_use: "tool_call" };

const toFinishReason = (stopReason: string) => finishReasons[stopReason] ?? stopReason;

function withoutNull(attributes: Record<string, AttributeValue | null>): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, AttributeValue] => entry[1] !== null),
  );
}

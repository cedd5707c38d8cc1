import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { PromptSize, StepStatus, Usage } from "@foyer/contract";
import { type CallRecord, createCallRecord } from "../../models/model-chain.ts";
import { ModelError } from "../../models/model-error.ts";
import type { UnpricedStep } from "../../models/prices/service.ts";
import { providerOf } from "../../models/provider-of.ts";
import type { StepTexts } from "../../telemetry/span-texts.ts";
import { validCount } from "./token-usage.ts";

export type TraceStep = UnpricedStep;
/** Receives a step when it has ended, and the texts that it sent and received. */
export type OnStep = (step: TraceStep, texts: StepTexts) => void;

type ModelStepEnd = {
  error: unknown;
  signal: AbortSignal;
  usage: LanguageModelV4Usage | null;
  finishReason: LanguageModelV4FinishReason | null;
};
type ToolStepEnd = { isError: boolean; isAborted: boolean; bytes: number };

const noPrompt = { promptInstructions: null, promptDocuments: null, promptTools: null, promptHistory: null };
const noTokens = { inputTokens: null, cachedInputTokens: null, outputTokens: null, reasoningTokens: null };

/** Starts a step that calls a model. `record` is filled in by the chain of models. `end` returns the step. */
export function startModelStep(name: "reply" | "follow_ups", { instructions, documents, tools, history }: PromptSize) {
  const record: CallRecord = createCallRecord();
  const startedAt = Date.now();
  const since = performance.now();
  return {
    record,
    end({ error, signal, usage, finishReason }: ModelStepEnd): TraceStep {
      const { modelId, fallbackFrom, retries, firstTokenAt } = record;
      return {
        kind: "model",
        name,
        provider: modelId === null ? null : providerOf(modelId),
        model: modelId,
        startedAt,
        firstTokenMs: firstTokenAt === null ? null : Math.round(firstTokenAt - since),
        durationMs: Math.round(performance.now() - since),
        ...toTokens(usage),
        // The last attempt of a step that failed is the step itself.
        retries: error === undefined ? retries : Math.max(retries - 1, 0),
        fallbackFrom,
        stopReason: finishReason && (stopReasons[finishReason.unified] ?? finishReason.unified),
        status: toStatus(error, signal),
        bytes: null,
        promptInstructions: instructions,
        promptDocuments: documents,
        promptTools: tools,
        promptHistory: history,
      };
    },
  };
}

/** Starts a step that calls a tool. */
export function startToolStep(name: string): (end: ToolStepEnd) => TraceStep {
  const startedAt = Date.now();
  const since = performance.now();
  return ({ isError, isAborted, bytes }) => ({
    kind: "tool",
    name,
    provider: null,
    model: null,
    startedAt,
    firstTokenMs: null,
    durationMs: Math.round(performance.now() - since),
    ...noTokens,
    cacheWriteTokens: 0,
    retries: 0,
    fallbackFrom: null,
    stopReason: null,
    status: isAborted ? "aborted" : isError ? "error" : "ok",
    bytes,
    ...noPrompt,
  });
}

/** The names that replies use for the same reasons. */
const stopReasons: Partial<Record<LanguageModelV4FinishReason["unified"], string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "content_filter",
};

/** `cachedInputTokens` and `reasoningTokens` are 0 when the provider counts tokens but mentions none of these. */
function toTokens(usage: LanguageModelV4Usage | null) {
  const inputTokens = validCount(usage?.inputTokens.total) ?? null;
  const outputTokens = validCount(usage?.outputTokens.total) ?? null;
  const cached = validCount(usage?.inputTokens.cacheRead) ?? 0;
  const thought = validCount(usage?.outputTokens.reasoning) ?? 0;
  const written = validCount(usage?.inputTokens.cacheWrite) ?? 0;
  return {
    inputTokens,
    cachedInputTokens: inputTokens === null ? null : Math.min(cached, inputTokens),
    outputTokens,
    reasoningTokens: outputTokens === null ? null : Math.min(thought, outputTokens),
    cacheWriteTokens: inputTokens === null ? 0 : Math.min(written, inputTokens),
  };
}

function toStatus(error: unknown, signal: AbortSignal): StepStatus {
  if (signal.aborted) return "aborted";
  if (error === undefined) return "ok";
  return error instanceof ModelError && error.code === "MODEL_TIMEOUT" ? "timeout" : "error";
}

export const noUsage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** The tokens that the provider counted for a call. */
export function readUsage(usage: LanguageModelV4Usage | null): Usage {
  const { inputTokens, cachedInputTokens, outputTokens } = toTokens(usage);
  return {
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: cachedInputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
  };
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

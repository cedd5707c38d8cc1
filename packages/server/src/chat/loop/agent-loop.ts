import type {
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { NoticeCode, PromptSize, ReasoningLevel, Usage } from "@foyer/contract";
import type { ToolPiece } from "../../conversations/message-pieces.ts";
import { toSafeNumbers } from "../../exact-json.ts";
import { newCallId } from "../../ids.ts";
import type { AskLimits } from "../../models/ask-model.ts";
import type { ModelPart } from "../../models/chat-model.ts";
import type { ModelChain } from "../../models/model-chain.ts";
import { ModelError, ReplyLimitError } from "../../models/model-error.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";
import { failure } from "../../tools/tool-outcome.ts";
import { createPromptMeter } from "./prompt-size.ts";
import { describeSent } from "./sent-call.ts";
import { estimateStepUsage } from "./token-usage.ts";
import { adaptToolInput, parseToolInput } from "./tool-input.ts";
import { addUsage, noUsage, type OnStep, readUsage, startModelStep, startToolStep } from "./trace.ts";

/**
 * The maximum number of tool calls per step, and the number that run concurrently. Each call may be a request to an
 * external server.
 */
const MAX_CALLS = 16;
const MAX_CONCURRENT_CALLS = 4;
/** The maximum size of one model response in characters, including reasoning and tool inputs. */
const MAX_RECEIVED = 4 * 1024 * 1024;
/** The number of consecutive steps whose calls cannot be read before the reply fails. */
const MAX_UNREADABLE_STEPS = 2;
/** The overhead counted for each block of a response, so that empty blocks are limited too. */
const BLOCK_CHARACTERS = 32;

/** How often the visitor is told that the model thinks, in milliseconds. */
const THINKING_INTERVAL_MS = 2_000;

/** Receives the output of the loop. Implemented by RunningReply. */
export type ReplyOutput = {
  /** Called every 2 s while a step has no visible word and no call of a tool. */
  thinking?(): void;
  /** Called before the text to which the notice belongs. The same notice can come several times. */
  notice?(code: NoticeCode): void;
  text(text: string): void;
  closeText(): void;
  toolUse(piece: ToolPiece): void;
  toolResult(piece: ToolPiece, outcome: ToolOutcome): void;
};

export type LoopInput = {
  models: ModelChain;
  prompt: LanguageModelV4Prompt;
  tools: LanguageModelV4FunctionTool[];
  /** the length of the documents in the instructions */
  documentCharacters?: number;
  /** 0 to 1, or null for the model's default */
  temperature: number | null;
  /** null for the provider's own limit */
  maxOutputTokens?: number | null;
  reasoning?: ReasoningLevel;
  maxSteps: number;
  /** A call to make before the first step, as if the model had made it. */
  openingCall?: { name: string; input: unknown } | null;
  limits: AskLimits;
  /** Finds the agent's tool by name. */
  find(name: string): FoundTool | undefined;
  /** Runs one call. Never rejects; a failure is an outcome with `isError`. */
  runTool(call: { id: string; name: string; input: unknown }, options: RunToolOptions): Promise<ToolOutcome>;
  signal: AbortSignal;
  /** Reports the tokens of each step, including steps that failed or were stopped. */
  onTokensUsed?(tokens: number): void;
  /** Reports each call of the model or of a tool when it has ended, however it ended. */
  onStep?: OnStep;
};

/**
 * `shownInput` returns the part of the input that is stored and sent to the visitor, without what only the tool may
 * read.
 */
type FoundTool = {
  id: string | null;
  label: string | null;
  executionType: string;
  shownInput?(input: unknown): unknown;
};

/** `announce` sends the call's event. It is used by tools whose page needs the event in order to run the tool. */
export type RunToolOptions = { signal: AbortSignal; announce: () => void };

type ToolCallPart = Extract<ModelPart, { type: "tool-call" }>;
type ReasoningPart = Extract<AssistantContent[number], { type: "reasoning" }>;
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/**
 * Alternates between the model and its tools until the model calls no tool, the maximum number of steps is reached, or
 * the reply is full. Up to four calls run concurrently. Their results are reported in the order of the calls. An empty
 * step is repeated once.
 * @throws the model's error, or the signal's reason
 */
export async function runAgentLoop(input: LoopInput, output: ReplyOutput) {
  const prompt = [...input.prompt];
  const totals: Totals = { usage: noUsage, callIds: new Set(), callingSteps: 0, hasSaid: false, hasActed: false };
  const measure = createPromptMeter({
    tools: input.tools,
    documentCharacters: input.documentCharacters ?? 0,
    isSearch: (name) => input.find(name)?.executionType === "documents",
  });
  let canRepeat = true;
  let unreadableSteps = 0;
  try {
    if (input.openingCall) {
      const answer = createOpeningStep(input.openingCall);
      prompt.push({ role: "assistant", content: answer.content }, await runTools(answer, { input, output, totals }));
    }
    for (let step = 1; step <= input.maxSteps; step++) {
      const answer = await runStep({ ...input, prompt, promptSize: measure(prompt) }, output, totals);
      output.closeText();
      if (answer.calls.length === 0) {
        if (answer.hasSaid) return { stopReason: toStopReason(answer), usage: totals.usage };
        if (canRepeat && answer.finishReason?.unified !== "length") {
          canRepeat = false;
          continue;
        }
        // Models often say nothing more after a tool has done or shown what the visitor asked for.
        if (totals.hasActed || totals.hasSaid) return { stopReason: toStopReason(answer), usage: totals.usage };
        throw emptyReplyError(answer);
      }
      unreadableSteps = answer.calls.every(isUnreadable) ? unreadableSteps + 1 : 0;
      if (unreadableSteps > MAX_UNREADABLE_STEPS) throw unreadableCallError(answer);
      prompt.push({ role: "assistant", content: answer.content }, await runTools(answer, { input, output, totals }));
    }
  } catch (error) {
    if (!(error instanceof ReplyLimitError)) throw error;
  }
  return { stopReason: "max_steps" as const, usage: totals.usage };
}

/** How a step ended whose text is the end of the reply. A text that was cut must not look complete. */
function toStopReason({ finishReason }: ModelStep): "end_turn" | "max_tokens" | "content_filter" {
  if (finishReason?.unified === "length") return "max_tokens";
  // OpenAI's adapter gives no reason for a refusal that the model wrote itself, which is complete.
  const isCut = finishReason?.unified === "content-filter" && finishReason.raw !== undefined;
  return isCut ? "content_filter" : "end_turn";
}

/** The visitor can try again. Members read what the model has sent instead of a reply. */
function emptyReplyError({ finishReason, reasoning }: ModelStep): ModelError {
  const isCut = finishReason?.unified === "length";
  const sent = reasoning.size > 0 ? "The model sent only thoughts and no reply." : "The model sent an empty reply.";
  const cause = new Error(isCut ? `${sent} It had reached its limit of tokens.` : sent);
  return new ModelError("MODEL_UNAVAILABLE", "The model did not answer.", { cause });
}

function unreadableCallError(answer: ModelStep): ModelError {
  const cause = new Error(`The model's calls of tools cannot be read. ${explainUnreadable(answer)}`);
  return new ModelError("MODEL_UNAVAILABLE", "The model did not answer.", { cause });
}

const isUnreadable = ({ input }: ToolCallPart) => parseToolInput(input) === undefined;

/** Tells the model why a call was not run. */
function explainUnreadable({ finishReason }: ModelStep): string {
  return finishReason?.unified === "length"
    ? "The input was cut off, because the output reached the limit of tokens, so it is not valid JSON. Send a shorter input."
    : "The input is not valid JSON.";
}

/** The model's output of one step, in the form in which it is sent back to the model. */
type ModelStep = {
  content: AssistantContent;
  calls: ToolCallPart[];
  /** the number of calls beyond MAX_CALLS, which are neither run nor sent back to the model */
  ignoredCalls: number;
  /** characters received from the model, whether shown or not */
  received: number;
  reasoning: Map<string, ReasoningPart>;
  /** the text of the open block */
  text: string;
  hasSaid: boolean;
  /** the token counts reported by the provider, once they have arrived */
  usage: LanguageModelV4Usage | null;
  finishReason: LanguageModelV4FinishReason | null;
};

const createEmptyStep = (): ModelStep => ({
  content: [],
  calls: [],
  ignoredCalls: 0,
  received: 0,
  reasoning: new Map(),
  text: "",
  hasSaid: false,
  usage: null,
  finishReason: null,
});

function createOpeningStep({ name, input }: { name: string; input: unknown }): ModelStep {
  const toolCallId = newCallId();
  return {
    ...createEmptyStep(),
    content: [{ type: "tool-call", toolCallId, toolName: name, input }],
    calls: [{ type: "tool-call", toolCallId, toolName: name, input: JSON.stringify(input) }],
  };
}

/** Runs one step: calls the model and streams its text to the output. */
async function runStep(
  input: LoopInput & { promptSize: PromptSize },
  output: ReplyOutput,
  totals: Totals,
): Promise<ModelStep> {
  const { models, prompt, tools, temperature, maxOutputTokens = null, reasoning, signal, limits } = input;
  const request = {
    prompt,
    ...(tools.length > 0 ? { tools } : {}),
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoningLevel: reasoning }),
  };
  signal.throwIfAborted();
  let answer = createEmptyStep();
  let error: unknown;
  const step = startModelStep("reply", input.promptSize);
  const thinking = setInterval(() => {
    if (!answer.hasSaid && answer.calls.length === 0) output.thinking?.();
  }, THINKING_INTERVAL_MS);
  try {
    await models.ask(
      request,
      { limits, signal, record: step.record },
      {
        begin() {
          for (const { toolCallId } of answer.calls) totals.callIds.delete(toolCallId);
          answer = createEmptyStep();
        },
        part: (part) => takePart(part, { answer, output, totals }),
        onUnseenPictures: () => output.notice?.("picture_not_seen"),
      },
    );
  } catch (caught) {
    error = caught;
    throw caught;
  } finally {
    clearInterval(thinking);
    const { usage, finishReason } = answer;
    const ended = step.end({ error, signal, usage, finishReason });
    input.onStep?.(ended, { kind: "model", prompt: [...prompt], output: answer.content });
    // A reply that the visitor abandoned has used tokens. A model that failed before it produced output has not.
    const isCharged = answer.usage || answer.text || answer.content.length > 0 || signal.aborted;
    if (isCharged) input.onTokensUsed?.(estimateStepUsage(prompt, answer, answer.usage));
  }
  if (answer.text.trim()) answer.content.push({ type: "text", text: answer.text });
  totals.hasSaid ||= answer.hasSaid;
  return answer;
}

/** Shared by all steps of a reply. */
type Totals = {
  /** the token counts reported by the provider */
  usage: Usage;
  /** the ids of the calls */
  callIds: Set<string>;
  /** the number of steps that called tools */
  callingSteps: number;
  /** whether the visitor has received any text */
  hasSaid: boolean;
  /** whether a tool other than a search has succeeded */
  hasActed: boolean;
};

function takePart(
  part: ModelPart,
  { answer, output, totals }: { answer: ModelStep; output: ReplyOutput; totals: Totals },
) {
  const { content, calls } = answer;
  answer.received += countCharacters(part);
  if (answer.received > MAX_RECEIVED) throw new ReplyLimitError();
  switch (part.type) {
    case "text-delta":
      if (part.delta === "") break;
      answer.text += part.delta;
      answer.hasSaid ||= part.delta.trim() !== "";
      output.text(part.delta);
      break;
    case "text-end":
      output.closeText();
      if (answer.text.trim())
        content.push({ type: "text", text: answer.text, ...toProviderOptions(part.providerMetadata) });
      answer.text = "";
      break;
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
      rememberReasoning(content, answer.reasoning, part);
      break;
    case "tool-call":
      if (calls.length === MAX_CALLS) {
        answer.ignoredCalls += 1;
        break;
      }
      takeCall(part, answer, totals.callIds);
      break;
    case "finish":
      answer.usage = part.usage;
      answer.finishReason = part.finishReason;
      totals.usage = addUsage(totals.usage, readUsage(part.usage));
      if (part.finishReason.unified === "content-filter" && !answer.hasSaid && calls.length === 0) {
        throw new ModelError("MODEL_REFUSED", "The model declined to answer this.");
      }
      break;
  }
}

/**
 * Some servers count the calls of each step from 0. An id that the reply has already used is replaced, because events
 * and results refer to calls by their ids.
 */
function takeCall(part: ToolCallPart, { calls, content }: ModelStep, callIds: Set<string>) {
  const isNew = part.toolCallId !== "" && !callIds.has(part.toolCallId);
  const toolCallId = isNew ? part.toolCallId : newCallId();
  callIds.add(toolCallId);
  calls.push({ ...part, toolCallId });
  content.push({
    type: "tool-call",
    toolCallId,
    toolName: part.toolName,
    input: parseToolInput(part.input) ?? {},
    ...toProviderOptions(part.providerMetadata),
  });
}

/**
 * Runs the calls of one step. Pages claim and answer a call by its id. Some models use the same ids in every reply, and
 * the result of an earlier call must not count for a later one, so each call of a client tool gets a new id. In
 * messages to the model, the reply keeps the model's id.
 */
async function runTools(
  answer: ModelStep,
  { input, output, totals }: { input: LoopInput; output: ReplyOutput; totals: Totals },
): Promise<LanguageModelV4Message> {
  const step = totals.callingSteps++;
  const inputs = answer.calls.map((call) => readInput(call, input.tools));
  const pieces = answer.calls.map((call, index): ToolPiece => {
    const tool = input.find(call.toolName);
    const executionType = tool?.executionType ?? null;
    const piece = {
      type: "tool" as const,
      id: executionType === "client" ? newCallId() : call.toolCallId,
      name: call.toolName,
      label: tool?.label ?? null,
      toolId: tool?.id ?? null,
      executionType,
      // It is stored and sent to pages, which read numbers with JavaScript.
      input: toSafeNumbers(tool?.shownInput ? tool.shownInput(inputs[index]) : inputs[index]),
    };
    const isLast = index === answer.calls.length - 1;
    const note = isLast && answer.ignoredCalls > 0 ? ignoredNote(answer.ignoredCalls) : null;
    return { ...piece, sent: describeSent(call, piece, { step, note }) };
  });
  const calls = pieces.map((piece, index) => ({ ...piece, input: inputs[index] }));
  const runTool: LoopInput["runTool"] = async (call, options) => {
    if (call.input === null) return failure(explainUnreadable(answer));
    const end = startToolStep(call.name);
    const result = await input.runTool(call, options);
    const bytes = Buffer.byteLength(result.forModel);
    const ended = end({ isError: result.isError, isAborted: options.signal.aborted, bytes });
    input.onStep?.(ended, { kind: "tool", callId: call.id, input: call.input, result: result.forModel });
    return result;
  };
  const end = new AbortController();
  const signal = AbortSignal.any([input.signal, end.signal]);
  const outcomes = runConcurrently(calls, runTool, signal);
  const content: Extract<LanguageModelV4Message, { role: "tool" }>["content"] = [];
  try {
    for (const [index, piece] of pieces.entries()) {
      const result = isInPage(piece)
        ? await runInPage(piece, runTool, { signal, output })
        : await announceAndAwait(piece, output, outcomes[index]);
      output.toolResult(piece, result);
      totals.hasActed ||= !result.isError && piece.executionType !== "documents";
      content.push({
        type: "tool-result",
        toolCallId: answer.calls[index]?.toolCallId ?? piece.id,
        toolName: piece.name,
        output: { type: result.isError ? "error-text" : "text", value: result.forModel + (piece.sent?.note ?? "") },
      });
    }
  } finally {
    // The reply ends early, so calls that have not started must not start.
    end.abort();
  }
  input.signal.throwIfAborted();
  return { role: "tool", content };
}

const isInPage = ({ executionType }: ToolPiece) => executionType === "client";

async function announceAndAwait(piece: ToolPiece, output: ReplyOutput, outcome: Promise<ToolOutcome> | undefined) {
  output.toolUse(piece);
  return (await outcome) ?? failure("The tool was not run.");
}

/**
 * Runs a client tool. Its event is sent once the page can answer the call. Client tools run one at a time, so that the
 * visitor is asked about one thing at a time and no call waits before the page knows about it.
 */
async function runInPage(
  piece: ToolPiece,
  runTool: LoopInput["runTool"],
  { signal, output }: { signal: AbortSignal; output: ReplyOutput },
): Promise<ToolOutcome> {
  let isAnnounced = false;
  const announce = () => {
    if (isAnnounced) return;
    output.toolUse(piece);
    isAnnounced = true;
  };
  const outcome = signal.aborted ? failure("The reply was stopped.") : await runTool(piece, { signal, announce });
  announce();
  return outcome;
}

/**
 * Starts the calls in order, a few at a time, except for those of client tools. No call starts after the signal is
 * aborted.
 */
function runConcurrently(
  pieces: readonly ToolPiece[],
  runTool: LoopInput["runTool"],
  signal: AbortSignal,
): Promise<ToolOutcome>[] {
  const outcomes = pieces.map(() => Promise.withResolvers<ToolOutcome>());
  const announce = () => {};
  let next = 0;
  const work = async () => {
    for (let index = next++; index < pieces.length; index = next++) {
      const piece = pieces[index] as ToolPiece;
      if (isInPage(piece)) continue;
      const stopped = signal.aborted ? failure("The reply was stopped.") : null;
      outcomes[index]?.resolve(stopped ?? (await runTool(piece, { signal, announce })));
    }
  };
  for (let worker = 0; worker < MAX_CONCURRENT_CALLS; worker++) void work();
  return outcomes.map(({ promise }) => promise);
}

function ignoredNote(count: number): string {
  return `${count} more ${count === 1 ? "call was" : "calls were"} not run: at most ${MAX_CALLS} run in one step.`;
}

/** The number of characters of a part that are kept in memory. */
function countCharacters(part: ModelPart): number {
  switch (part.type) {
    case "text-delta":
    case "tool-input-delta":
      return part.delta.length;
    case "reasoning-delta":
      return part.delta.length + metadataLength(part);
    case "tool-call":
      return part.input.length + part.toolName.length + metadataLength(part);
    case "text-end":
    case "reasoning-start":
    case "reasoning-end":
      // Signatures can be long, and even an empty block is kept.
      return BLOCK_CHARACTERS + metadataLength(part);
    default:
      return 0;
  }
}

function metadataLength({ providerMetadata }: Pick<ToolCallPart, "providerMetadata">): number {
  return providerMetadata ? JSON.stringify(providerMetadata).length : 0;
}

/** Keeps the reasoning with its signature, because some providers require it in later steps of the same reply. */
function rememberReasoning(
  content: AssistantContent,
  known: Map<string, ReasoningPart>,
  part: Extract<ModelPart, { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }>,
) {
  const piece = known.get(part.id) ?? { type: "reasoning", text: "" };
  if (!known.has(part.id)) content.push(piece);
  known.set(part.id, piece);
  if (part.type === "reasoning-delta") piece.text += part.delta;
  if (part.providerMetadata) piece.providerOptions = part.providerMetadata;
}

function toProviderOptions(metadata: ToolCallPart["providerMetadata"]) {
  return metadata ? { providerOptions: metadata } : {};
}

/** The call's input as its tool expects it, or null when it cannot be read. */
function readInput({ input, toolName }: ToolCallPart, tools: LoopInput["tools"]): unknown {
  const tool = tools.find(({ name }) => name === toolName);
  return adaptToolInput(parseToolInput(input) ?? null, tool);
}

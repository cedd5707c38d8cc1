import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { Usage } from "@foyer/contract";
import type { ToolPiece } from "../conversations/message-pieces.ts";
import { type AskLimits, askModel } from "../models/ask-model.ts";
import type { ChatModel, ModelPart } from "../models/chat-model.ts";
import { ModelError } from "../models/model-error.ts";
import type { ToolOutcome } from "../tools/run-tool.ts";
import { plausible, tokensOfStep } from "./step-tokens.ts";

/** Where the loop says what happens; see RunningReply. */
export type ReplyOutput = {
  text(text: string): void;
  closeText(): void;
  toolUse(piece: ToolPiece): void;
  toolResult(piece: ToolPiece, outcome: ToolOutcome): void;
};

export type LoopInput = {
  /** whose agent it is */
  account: string;
  model: ChatModel;
  prompt: LanguageModelV4Prompt;
  tools: LanguageModelV4FunctionTool[];
  /** 0 to 1, or null for the model's own */
  temperature: number | null;
  maxSteps: number;
  limits: AskLimits;
  /** The tool of that name, if the agent has it. */
  find(name: string): { id: string; executionType: string } | undefined;
  /** Runs one call. Never rejects: a failure is an outcome. */
  runTool(call: { name: string; input: unknown }, signal: AbortSignal): Promise<ToolOutcome>;
  signal: AbortSignal;
  /** Told what each step cost, also one that failed or was ended in the middle. */
  spend?(tokens: number): void;
};

type ToolCallPart = Extract<ModelPart, { type: "tool-call" }>;
type ReasoningPart = Extract<AssistantContent[number], { type: "reasoning" }>;
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/**
 * Model, tools, model, … until the model calls no tool or the steps are used up. Calls of one step run at the same
 * time and are reported in the order of the calls.
 * @throws what the model failed with, or the signal's reason
 */
export async function runAgentLoop(input: LoopInput, output: ReplyOutput) {
  const prompt = [...input.prompt];
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  for (let step = 1; step <= input.maxSteps; step++) {
    const { content, calls } = await runStep({ ...input, prompt }, output, usage);
    output.closeText();
    if (calls.length === 0) return { stopReason: "end_turn" as const, usage };
    prompt.push({ role: "assistant", content }, await runTools(calls, input, output));
  }
  return { stopReason: "max_steps" as const, usage };
}

/** What the model said in one step, as it must be told back to it. */
type Answer = {
  content: AssistantContent;
  calls: ToolCallPart[];
  reasoning: Map<string, ReasoningPart>;
  /** of the text that is not over */
  text: string;
  hasSaid: boolean;
  /** as the provider counted it, once it did */
  usage: LanguageModelV4Usage | null;
};

const emptyAnswer = (): Answer => ({
  ...{ content: [], calls: [], reasoning: new Map(), text: "", hasSaid: false, usage: null },
});

/** One answer of the model: its text goes out as it comes. */
async function runStep(input: LoopInput, output: ReplyOutput, usage: Usage): Promise<Answer> {
  const { account, model, prompt, tools, temperature, signal, limits } = input;
  const request = { prompt, ...(tools.length > 0 ? { tools } : {}), ...(temperature === null ? {} : { temperature }) };
  signal.throwIfAborted();
  let answer = emptyAnswer();
  try {
    await askModel(account, model, request, limits, signal, {
      begin() {
        answer = emptyAnswer();
      },
      part: (part) => takePart(part, answer, output, usage),
    });
  } finally {
    // Who goes away has cost what was asked for all the same; a model that failed without a word has not.
    const isCharged = answer.usage || answer.text || answer.content.length > 0 || signal.aborted;
    if (isCharged) input.spend?.(tokensOfStep(prompt, answer, answer.usage));
  }
  if (answer.text) answer.content.push({ type: "text", text: answer.text });
  return answer;
}

function takePart(part: ModelPart, answer: Answer, output: ReplyOutput, usage: Usage) {
  const { content, calls } = answer;
  switch (part.type) {
    case "text-delta":
      if (part.delta === "") break;
      answer.text += part.delta;
      answer.hasSaid = true;
      output.text(part.delta);
      break;
    case "text-end":
      output.closeText();
      if (answer.text) content.push({ type: "text", text: answer.text, ...asOptions(part.providerMetadata) });
      answer.text = "";
      break;
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
      rememberReasoning(content, answer.reasoning, part);
      break;
    case "tool-call":
      calls.push(part);
      content.push({
        ...{ type: "tool-call", toolCallId: part.toolCallId, toolName: part.toolName },
        ...{ input: parseInput(part.input) ?? {}, ...asOptions(part.providerMetadata) },
      });
      break;
    case "finish":
      answer.usage = part.usage;
      usage.inputTokens += plausible(part.usage.inputTokens.total) ?? 0;
      usage.outputTokens += plausible(part.usage.outputTokens.total) ?? 0;
      if (part.finishReason.unified === "content-filter" && !answer.hasSaid && calls.length === 0) {
        throw new ModelError("MODEL_REFUSED", "The model declined to answer this.");
      }
      break;
  }
}

async function runTools(calls: ToolCallPart[], input: LoopInput, output: ReplyOutput): Promise<LanguageModelV4Message> {
  const running = calls.map((call) => {
    const tool = input.find(call.toolName);
    const known = { toolId: tool?.id ?? null, executionType: tool?.executionType ?? null };
    const piece: ToolPiece = {
      type: "tool",
      id: call.toolCallId,
      name: call.toolName,
      ...known,
      input: parseInput(call.input) ?? null,
    };
    return { piece, outcome: input.runTool(piece, input.signal) };
  });
  const content: Extract<LanguageModelV4Message, { role: "tool" }>["content"] = [];
  for (const { piece, outcome } of running) {
    output.toolUse(piece);
    const result = await outcome;
    output.toolResult(piece, result);
    content.push({
      type: "tool-result",
      toolCallId: piece.id,
      toolName: piece.name,
      output: { type: result.isError ? "error-text" : "text", value: result.forModel },
    });
  }
  input.signal.throwIfAborted();
  return { role: "tool", content };
}

/** Some providers want their reasoning back within the same reply, with the signature they gave it. */
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

function asOptions(metadata: ToolCallPart["providerMetadata"]) {
  return metadata ? { providerOptions: metadata } : {};
}

/** The call's arguments, or undefined when they are no JSON. */
function parseInput(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

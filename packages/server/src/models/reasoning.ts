import type { JSONObject } from "@ai-sdk/provider";
import type { ReasoningLevel } from "@foyer/contract";
import { isObject } from "./json.ts";

type Level = Exclude<ReasoningLevel, "default">;

/** The tokens that Claude and older Gemini models may think with. */
const budgets: Record<Level, number> = { none: 0, low: 1_024, medium: 4_096, high: 16_384 };
/** What a model may write besides its thoughts when its request names no limit. */
const MIN_ANSWER = 4_096;

/**
 * How each provider's request says how much the model thinks. Levels that a provider lacks are rounded to its nearest. A
 * provider that refuses the setting is asked again without it, see refused-parameters.ts.
 */
const formats: Record<string, (body: JSONObject, level: Level, modelId: string) => JSONObject> = {
  openai: (body, effort) => ({ ...body, reasoning: { ...(isObject(body.reasoning) ? body.reasoning : {}), effort } }),
  "openai-compatible": (body, level) => ({ ...body, reasoning_effort: level }),
  mistral: (body, level) => ({ ...body, reasoning_effort: level === "none" || level === "low" ? "none" : "high" }),
  // Only gpt-oss knows levels. Ollama refuses them for every other model.
  ollama: (body, level, modelId) => ({ ...body, think: /gpt-oss/i.test(modelId) ? level : level !== "none" }),
  anthropic: setThinking,
  azure: (body, level, modelId) =>
    formats[body.messages ? "openai-compatible" : "openai"]?.(body, level, modelId) ?? body,
  bedrock(body, level, modelId) {
    if (!/\bclaude\b/i.test(modelId)) return body;
    const inference = isObject(body.inferenceConfig) ? body.inferenceConfig : {};
    const { maxTokens = null, temperature: _, ...others } = inference as JSONObject;
    const { thinking, max_tokens = null } = setThinking({ max_tokens: maxTokens }, level);
    if (thinking === undefined) return body;
    const fields = isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
    return {
      ...body,
      inferenceConfig: level === "none" ? inference : { ...others, maxTokens: max_tokens },
      additionalModelRequestFields: { ...fields, thinking },
    } as JSONObject;
  },
  google(body, level, modelId) {
    const generationConfig = isObject(body.generationConfig) ? body.generationConfig : {};
    // Gemini 3 cannot turn its thoughts off, and its levels begin with `low`.
    const thinkingConfig = /gemini-[3-9]/.test(modelId)
      ? { thinkingLevel: level === "none" ? "low" : level }
      : { thinkingBudget: budgets[level] };
    return { ...body, generationConfig: { ...generationConfig, thinkingConfig } };
  },
};

/** Claude's budget must be below `max_tokens`, and its temperature cannot be set while it thinks. */
function setThinking(body: JSONObject, level: Level): JSONObject {
  if (level === "none") return { ...body, thinking: { type: "disabled" } };
  const { temperature: _, ...rest } = body;
  const given = typeof body.max_tokens === "number" ? body.max_tokens : budgets[level] + MIN_ANSWER;
  const budget = Math.min(budgets[level], given - 1);
  if (budget < budgets.low) return body;
  return { ...rest, max_tokens: given, thinking: { type: "enabled", budget_tokens: budget } };
}

/** Creates the function that sets how much the model thinks, or undefined when that is left to the provider. */
export function createReasoningEditor(
  { provider, modelId }: { provider: string; modelId: string },
  level: ReasoningLevel | undefined,
): ((body: JSONObject) => JSONObject) | undefined {
  const format = formats[provider] ?? formats["openai-compatible"];
  if (level === undefined || level === "default" || !format) return undefined;
  return (body) => format(body, level, modelId);
}

/** Providers whose own APIs keep thoughts apart from the text. */
const providersWithThoughts = ["openai", "anthropic", "google", "mistral", "azure", "bedrock"];

/** Whether a model that is asked to think at this level may write its thoughts into the text of its reply. */
export function writesThoughtsAsText({ provider }: { provider: string }, level: ReasoningLevel | undefined): boolean {
  const isAsked = level === "low" || level === "medium" || level === "high";
  return isAsked && !providersWithThoughts.includes(provider);
}

/** The members of a body that these formats set. Google's and Bedrock's are in members of their own. */
const members = ["reasoning", "reasoning_effort", "think", "thinking"];

export function hasReasoning(body: JSONObject): boolean {
  const { generationConfig, additionalModelRequestFields: fields } = body;
  const isNested =
    (isObject(generationConfig) && "thinkingConfig" in generationConfig) || (isObject(fields) && "thinking" in fields);
  return isNested || members.some((name) => name in body);
}

export function withoutReasoning(body: JSONObject): JSONObject {
  const rest: JSONObject = Object.fromEntries(Object.entries(body).filter(([name]) => !members.includes(name)));
  if (isObject(rest.additionalModelRequestFields)) {
    const { thinking: _, ...fields } = rest.additionalModelRequestFields;
    return { ...rest, additionalModelRequestFields: fields } as JSONObject;
  }
  if (!isObject(rest.generationConfig)) return rest;
  const { thinkingConfig: _, ...generationConfig } = rest.generationConfig;
  return { ...rest, generationConfig };
}

import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";

/** The usual rule of thumb for English. */
const CHARACTERS_PER_TOKEN = 4;
/** No model takes or writes so many at once. All steps of a reply together stay below 2^31, which the columns hold. */
const MAX_PER_STEP = 250_000_000;

/** What one question to a model cost: as the provider counted it; what it did not count is estimated. */
export function usageOfStep(
  prompt: LanguageModelV4Prompt,
  answer: { content: readonly unknown[]; text: string },
  counted: LanguageModelV4Usage | null,
): number {
  const input = plausible(counted?.inputTokens.total) ?? estimate(JSON.stringify(prompt).length);
  const output = plausible(counted?.outputTokens.total) ?? estimate(answer.text.length + lengthOf(answer.content));
  return input + output;
}

/** What a provider counted, if that can be. Some servers say 0 where they count nothing. */
export function plausible(count: number | undefined): number | undefined {
  return count !== undefined && Number.isInteger(count) && count > 0 && count <= MAX_PER_STEP ? count : undefined;
}

const lengthOf = (content: readonly unknown[]) => (content.length === 0 ? 0 : JSON.stringify(content).length);
const estimate = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

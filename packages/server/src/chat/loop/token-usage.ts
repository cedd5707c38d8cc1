import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import { replaceFiles } from "../../models/prompt-files.ts";

/** A common rule of thumb for English text. */
const CHARACTERS_PER_TOKEN = 4;
/**
 * No model processes more tokens in one call. All steps of a reply together stay below 2^31, the limit of the columns.
 */
const MAX_PER_STEP = 250_000_000;

/** The tokens of one model call, as counted by the provider. Missing counts are estimated. */
export function estimateStepUsage(
  prompt: LanguageModelV4Prompt,
  answer: { content: readonly unknown[]; text: string },
  counted: LanguageModelV4Usage | null,
): number {
  const input = validCount(counted?.inputTokens.total) ?? estimate(JSON.stringify(replaceFiles(prompt)).length);
  const output =
    validCount(counted?.outputTokens.total) ?? estimate(answer.text.length + contentLength(answer.content));
  return input + output;
}

/** A provider's count if it is plausible. Some servers report 0 when they do not count. */
export function validCount(count: number | undefined): number | undefined {
  return count !== undefined && Number.isInteger(count) && count > 0 && count <= MAX_PER_STEP ? count : undefined;
}

const contentLength = (content: readonly unknown[]) => (content.length === 0 ? 0 : JSON.stringify(content).length);
const estimate = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

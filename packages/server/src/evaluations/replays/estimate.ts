import type { ReplyStepRow } from "../../db/tables/models.ts";
import { calculateCost, type Price } from "../../models/prices/cost.ts";
import { providerOf } from "../../models/provider-of.ts";
import { listToolPieces, type RecordedTurn } from "./recorded-turn.ts";

/** A common rule of thumb, for replies whose tokens were not counted. */
const CHARACTERS_PER_TOKEN = 4;
/** What the two questions about which reply is better contain besides the replies, in tokens. */
const QUESTION_TOKENS = 180;
/** An answer names one of three words, and a model that thinks first uses more. */
const VERDICT_TOKENS = 10;

/** A version for an estimate: its model, and the characters of its instructions and definitions of tools. */
export type Estimated = { modelId: string; price: Price | null; instructions: number; tools: number };

/** The steps in which the recorded model wrote its reply. */
export function listReplySteps(steps: readonly ReplyStepRow[]): ReplyStepRow[] {
  return steps.filter(({ kind, name, inputTokens }) => kind === "model" && name === "reply" && inputTokens !== null);
}

/** @returns what a version costs to write the reply again; null if its price is unknown */
export function estimateReply(version: Estimated, turn: RecordedTurn, steps: readonly ReplyStepRow[]): number | null {
  const { price, modelId } = version;
  if (price === null) return null;
  const counted = listReplySteps(steps);
  const tokens = counted.length > 0 ? scaleSteps(version, counted) : guessTokens(version, turn);
  return calculateCost(price, { provider: providerOf(modelId), cacheWriteTokens: 0, ...tokens });
}

/** @returns what the two questions about which reply is better cost; null if the price is unknown */
export function estimateComparison({ price, modelId }: Estimated, turn: RecordedTurn): number | null {
  if (price === null) return null;
  const characters = 2 * turn.reply.content.length + (turn.history.at(-1)?.content.length ?? 0);
  const inputTokens = 2 * (QUESTION_TOKENS + Math.ceil(characters / CHARACTERS_PER_TOKEN));
  const tokens = { inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 2 * VERDICT_TOKENS };
  return calculateCost(price, { provider: providerOf(modelId), ...tokens });
}

/** The recorded tokens, with the version's own instructions and tools in place of the recorded ones. */
function scaleSteps(version: Estimated, steps: readonly ReplyStepRow[]) {
  const sum = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  for (const step of steps) {
    const { promptInstructions: instructions, promptTools: tools, inputTokens, cachedInputTokens, outputTokens } = step;
    const recorded = countCharacters(step);
    const scale =
      recorded === 0
        ? 1
        : (recorded - (instructions ?? 0) - (tools ?? 0) + version.instructions + version.tools) / recorded;
    sum.inputTokens += (inputTokens ?? 0) * scale;
    sum.cachedInputTokens += Math.min(cachedInputTokens ?? 0, (inputTokens ?? 0) * scale);
    sum.outputTokens += outputTokens ?? 0;
  }
  return sum;
}

/** The characters of the prompt of a step, 0 if they were not recorded. */
export function countCharacters(step: ReplyStepRow): number {
  const { promptInstructions, promptDocuments, promptTools, promptHistory } = step;
  return (promptInstructions ?? 0) + (promptDocuments ?? 0) + (promptTools ?? 0) + (promptHistory ?? 0);
}

function guessTokens({ instructions, tools }: Estimated, turn: RecordedTurn) {
  const history = turn.history.reduce((sum, { content, pieces }) => sum + content.length + (pieces?.length ?? 0), 0);
  const calls = 1 + new Set(listToolPieces(turn).map(({ sent }) => sent?.step ?? 0)).size;
  const results = turn.reply.pieces?.length ?? 0;
  return {
    inputTokens: (calls * (instructions + tools + history) + results) / CHARACTERS_PER_TOKEN,
    cachedInputTokens: 0,
    outputTokens: turn.reply.content.length / CHARACTERS_PER_TOKEN,
  };
}

import type { ReplyStepRow } from "../../db/tables/models.ts";
import { calculateCost, type Price } from "../../models/prices/cost.ts";
import { providerOf } from "../../models/provider-of.ts";
import { guessFileTokens, limitTokens } from "./file-tokens.ts";
import { listToolPieces, type RecordedTurn } from "./recorded-turn.ts";

/** A common rule of thumb, for replies whose tokens were not counted. */
const CHARACTERS_PER_TOKEN = 4;
/** What the two questions about which reply is better contain besides the replies, in tokens. */
const QUESTION_TOKENS = 180;
/** An answer names one of three words, and a model that thinks first uses more. */
const VERDICT_TOKENS = 10;

/** A reply may have this many times the tokens of the recorded one, and at least this many, unless its agent limits it. */
const OUTPUT_FACTOR = 4;
const MIN_OUTPUT_TOKENS = 2_048;
/** How much more than estimated the replies of a replay may cost by its suggested limit. */
const LIMIT_MARGIN = 1.25;
/** The most tokens of a prompt for each character of the recorded texts, with its format and escapes. */
const MOST_TOKENS_PER_CHARACTER = 0.75;

/** A version for an estimate: its model, and the characters of its instructions and definitions of tools. */
export type Estimated = {
  modelId: string;
  price: Price | null;
  instructions: number;
  tools: number;
  maxOutputTokens: number | null;
};

/** The tokens that a reply in place of the recorded one may have, if its agent does not limit them. */
export function limitOutput(steps: readonly ReplyStepRow[]): number {
  const most = Math.max(0, ...listReplySteps(steps).map(({ outputTokens }) => outputTokens ?? 0));
  return Math.max(MIN_OUTPUT_TOKENS, OUTPUT_FACTOR * most);
}

/** @returns about the most that one call of a version can cost in this turn; null if its price is unknown */
export function estimateLargestCall(version: Estimated, turn: RecordedTurn, steps: readonly ReplyStepRow[]) {
  const { price, modelId, maxOutputTokens } = version;
  if (price === null) return null;
  const texts = [...turn.history, turn.reply];
  const characters = countTexts(texts);
  const recorded = Math.max(0, ...listReplySteps(steps).map((step) => countCharacters(step)));
  const most = Math.max(characters + version.instructions + version.tools, recorded);
  const counted = Math.max(0, ...listReplySteps(steps).map((step) => step.inputTokens ?? 0));
  const inputTokens =
    Math.max(Math.ceil(most * MOST_TOKENS_PER_CHARACTER) + QUESTION_TOKENS, Math.ceil(counted * LIMIT_MARGIN)) +
    limitTokens(listFiles(turn));
  const outputTokens = maxOutputTokens ?? limitOutput(steps);
  const plain = { provider: providerOf(modelId), cachedInputTokens: 0, cacheWriteTokens: inputTokens };
  return calculateCost(price, { ...plain, inputTokens, outputTokens });
}

/** @returns a limit for a replay of this price whose largest call costs that */
export const suggestLimit = (cost: number, largestCall: number): number => cost * LIMIT_MARGIN + largestCall;

/** The steps in which the recorded model wrote its reply. */
export function listReplySteps(steps: readonly ReplyStepRow[]): ReplyStepRow[] {
  return steps.filter(({ kind, name, inputTokens }) => kind === "model" && name === "reply" && inputTokens !== null);
}

/** @returns what a version costs to write the reply again; null if its price is unknown */
export function estimateReply(version: Estimated, turn: RecordedTurn, steps: readonly ReplyStepRow[]): number | null {
  const { price, modelId } = version;
  if (price === null) return null;
  const counted = listReplySteps(steps);
  const tokens = counted.length > 0 ? scaleSteps(version, turn, counted) : guessTokens(version, turn);
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

/**
 * The recorded tokens, with the version's own instructions and tools in place of the recorded ones. Beside pictures and
 * files, which no characters stand for, the recorded tokens say little about text.
 */
function scaleSteps(version: Estimated, turn: RecordedTurn, steps: readonly ReplyStepRow[]) {
  const hasFiles = listFiles(turn).length > 0;
  const sum = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  for (const step of steps) {
    const { promptInstructions: instructions, promptTools: tools, inputTokens, cachedInputTokens, outputTokens } = step;
    const recorded = countCharacters(step);
    const added = recorded === 0 ? 0 : version.instructions + version.tools - (instructions ?? 0) - (tools ?? 0);
    const perCharacter = hasFiles ? 1 / CHARACTERS_PER_TOKEN : (inputTokens ?? 0) / Math.max(1, recorded);
    const scaled = Math.max(0, (inputTokens ?? 0) + added * perCharacter);
    sum.inputTokens += scaled;
    sum.cachedInputTokens += Math.min(cachedInputTokens ?? 0, scaled);
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
  const history = countTexts(turn.history);
  const calls = 1 + new Set(listToolPieces(turn).map(({ sent }) => sent?.step ?? 0)).size;
  const results = turn.reply.pieces?.length ?? 0;
  return {
    inputTokens:
      (calls * (instructions + tools + history) + results) / CHARACTERS_PER_TOKEN +
      calls * guessFileTokens(listFiles(turn)),
    cachedInputTokens: 0,
    outputTokens: turn.reply.content.length / CHARACTERS_PER_TOKEN,
  };
}

/** The pictures and files of the visitor. Those of members are only named to models. */
const listFiles = ({ history }: RecordedTurn) =>
  history.flatMap(({ attachments }) => attachments.filter(({ uploaderId }) => uploaderId === null));

/** The characters of messages, with the texts of their files. */
const countTexts = (messages: RecordedTurn["history"]) =>
  messages.reduce(
    (sum, { content, pieces, attachments }) =>
      sum +
      content.length +
      (pieces?.length ?? 0) +
      attachments.reduce((characters, { text }) => characters + (text?.length ?? 0), 0),
    0,
  );

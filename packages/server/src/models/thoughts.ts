import { DAY_MS } from "@foyer/contract/rules/time";
import { LRUCache } from "lru-cache";
import type { ModelPart } from "./chat-model.ts";
import { ReplySizeError } from "./model-error.ts";

/** The spellings in which models write their thoughts into the text of a reply. Letter case does not matter. */
const spellings: ReadonlyArray<readonly [opening: string, closing: string]> = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<reasoning>", "</reasoning>"],
  ["<thought>", "</thought>"],
  ["[think]", "[/think]"],
  ["◁think▷", "◁/think▷"],
  ["<seed:think>", "</seed:think>"],
  ["<|start_thinking|>", "<|end_thinking|>"],
  ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"],
  ["<|channel|>commentary<|message|>", "<|channel|>final<|message|>"],
  ["<|start|>assistant<|channel|>analysis<|message|>", "<|channel|>final<|message|>"],
];
/** Marks before the text of formats that have them for thoughts, too. */
const textMarks = ["<|channel|>final<|message|>", "<|start_response|>"];
const openings = [...spellings.map(([opening]) => opening), ...textMarks];
const longestOpening = Math.max(...openings.map(({ length }) => length));
const closings = [...new Set(spellings.map(([, closing]) => closing))];
const anyClosing = new RegExp(closings.map((closing) => RegExp.escape(closing)).join("|"), "gi");
const longestClosing = Math.max(...closings.map(({ length }) => length));

/** Models that think before every reply, and whose templates may swallow the opening tag. */
const thinkingModels =
  /deepseek-?r1|deepseek-reasoner|\bqwq\b|qwen-?3|magistral|glm-?4\.[56]|glm-?z1|minimax-?m\d|kimi-?k2-thinking|exaone-deep|phi-?4(?:-mini)?-reasoning|skywork-or|marco-o1|openthinker|deepscaler|nemotron.*reasoning|seed-oss|hunyuan-?(?:t1|a13b)|ernie.*thinking|smollm3|-r1-distill|-thinking\b/i;

/** The maximum size of thoughts in characters. */
const MAX_THOUGHTS = 1024 * 1024;
/** Up to this many characters of shown text, a closing tag is taken as the end of thoughts whose opening is missing. */
const MAX_LONE_CLOSING = 32_000;

/** How models have sent their thoughts during the last day. A later observation replaces an earlier one. */
const observed = new LRUCache<string, "separate" | "lone closing">({ max: 10_000, ttl: DAY_MS });

/**
 * Removes the thoughts from the text of one step. They become a reasoning block with `isText` in its metadata, so that
 * the model can get its message back as it wrote it.
 *
 * Thoughts are recognized at the start of the text, after any white space. The same tags later are text. A block that is
 * never closed hides everything. The text of a model that is known to think is held back until a closing tag or the end
 * of the step, unless the model has sent its thoughts in a field or begun them with a tag during the last day.
 * @param key identifies the model of one organization and server
 * @param isAskedToThink whether the request asks a server to think that may write its thoughts into the text
 */
export function createThoughtFilter(
  { key, modelId, isAskedToThink = false }: { key: string; modelId: string; isAskedToThink?: boolean },
  emit: (part: ModelPart) => void,
): (part: ModelPart) => void {
  const isKnownToThink = isAskedToThink || thinkingModels.test(modelId);
  const isHeld = () => observed.get(key) === "lone closing" || (isKnownToThink && observed.get(key) !== "separate");
  let state: "start" | "thoughts" | "held" | "text" = "start";
  /** text that has not been passed on */
  let buffer = "";
  let closing = /$/;
  /** the position in the buffer from which a closing tag is searched */
  let searchFrom = 0;
  let heldTail = "";
  let hasThoughts = false;
  let hiddenLength = 0;
  /** whether the model ended its reply itself */
  let isComplete = false;
  let blockId = "";
  /** the end of a block whose text is held back */
  let blockEnd: ModelPart | null = null;
  let watch: ((delta: string) => void) | null = null;

  function hide(text: string) {
    if (text === "") return;
    if (!hasThoughts) emit({ type: "reasoning-start", id: THOUGHTS_ID, providerMetadata: asText });
    hasThoughts = true;
    hiddenLength += text.length;
    if (hiddenLength > MAX_THOUGHTS) throw tooManyThoughtsError();
    emit({ type: "reasoning-delta", id: THOUGHTS_ID, delta: text });
  }

  function hideUntil(end: number) {
    hide(buffer.slice(0, end));
    buffer = buffer.slice(end);
  }

  function show(text: string) {
    if (text !== "") emit({ type: "text-delta", id: blockId, delta: text });
  }

  /** Decides what the text at the start is, as soon as enough of it has arrived. */
  function readStart(isEnd: boolean) {
    const text = buffer.trimStart();
    const lower = text.slice(0, longestOpening).toLowerCase();
    if (!isEnd && openings.some((opening) => opening.length > lower.length && opening.startsWith(lower))) return;
    const spelling = spellings.find(([opening]) => lower.startsWith(opening));
    const mark = textMarks.find((one) => lower.startsWith(one));
    const start = buffer.length - text.length;
    if (spelling) {
      observed.set(key, "separate");
      state = "thoughts";
      closing = new RegExp(RegExp.escape(spelling[1]), "i");
      return readThoughts(isEnd);
    }
    if (mark) {
      hideUntil(start + mark.length);
      return readStart(isEnd);
    }
    if (hasThoughts) {
      hideUntil(start);
    } else if (isHeld()) {
      state = "held";
      searchFrom = 0;
      return readHeld(isEnd);
    } else {
      hideUntilLoneClosing();
    }
    // White space alone is no text, and some providers refuse a message of it. It is read again with each part.
    if (buffer.trim() === "") {
      buffer = isEnd ? "" : buffer.slice(-MAX_WHITE_SPACE);
      return;
    }
    state = "text";
    showBuffer();
  }

  function showBuffer() {
    show(buffer);
    if (!hasThoughts) watch = createLoneClosingWatch(key, buffer);
    buffer = "";
  }

  /** Hides all but the end of the buffer, which may be the start of the closing tag. */
  function readThoughts(isEnd: boolean) {
    const found = closing.exec(buffer);
    if (found) return endThoughts(found.index + found[0].length, isEnd);
    hideUntil(isEnd ? buffer.length : Math.max(0, buffer.length - longestClosing + 1));
  }

  function readHeld(isEnd: boolean) {
    anyClosing.lastIndex = searchFrom;
    const found = anyClosing.exec(buffer);
    if (found) {
      observed.set(key, "lone closing");
      return endThoughts(found.index + found[0].length, isEnd);
    }
    searchFrom = Math.max(0, buffer.length - longestClosing);
    heldTail = buffer.slice(-longestClosing);
    if (!isEnd || buffer.trim() === "") return;
    // A model that closes its thoughts without opening them was still thinking when it was cut off or called a tool.
    if (!isComplete && observed.get(key) === "lone closing") return hide(buffer);
    state = "text";
    showBuffer();
  }

  function endThoughts(end: number, isEnd: boolean) {
    hideUntil(end);
    state = "start";
    readStart(isEnd);
  }

  /** A closing tag in the first text of a model that is not known to think ends its thoughts, too. */
  function hideUntilLoneClosing() {
    const end = findLoneClosing(buffer, { from: 0, isWhole: true });
    if (end === -1) return;
    observed.set(key, "lone closing");
    hideUntil(end);
    buffer = buffer.trimStart();
  }

  /** Searches only the new text and the end of the text before it. Searching the buffer copies all of it. */
  function mayClose(delta: string): boolean {
    const text = heldTail + delta;
    heldTail = text.slice(-longestClosing);
    anyClosing.lastIndex = 0;
    return anyClosing.test(text);
  }

  const readers = { start: readStart, thoughts: readThoughts, held: readHeld };

  /** Everything that follows the text of the step needs it to be complete. */
  function flush(part: ModelPart) {
    isComplete = part.type === "finish" && part.finishReason.unified === "stop";
    if (state !== "text") readers[state](true);
    buffer = "";
    if (state !== "text") state = "start";
    if (blockEnd) emit(blockEnd);
    blockEnd = null;
  }

  return (part) => {
    switch (part.type) {
      case "text-delta":
        if (state === "text") {
          watch?.(part.delta);
          return emit(part);
        }
        blockId = part.id;
        buffer += part.delta;
        if (buffer.length > MAX_THOUGHTS) throw tooManyThoughtsError();
        if (state === "held" && !mayClose(part.delta)) return;
        return readers[state](false);
      case "text-end":
        if (state === "text") return emit(part);
        blockEnd = part;
        return;
      case "reasoning-start":
      case "reasoning-delta":
        if (part.type === "reasoning-delta" && part.delta !== "") observed.set(key, "separate");
        if (part.type === "reasoning-delta" && state === "held") state = "start";
        return emit(part);
      case "tool-call":
      case "finish":
        flush(part);
        return emit(part);
      default:
        return emit(part);
    }
  };
}

/**
 * Watches the first 32,000 characters of text that is shown as it arrives. A lone closing tag in it is remembered for the
 * model's next step.
 */
function createLoneClosingWatch(key: string, start: string): (delta: string) => void {
  let tail = start.slice(-TAIL);
  let shownLength = start.length;
  return (delta) => {
    if (shownLength > MAX_LONE_CLOSING) return;
    const from = Math.max(0, tail.length - longestClosing - 1);
    const text = tail + delta;
    shownLength += delta.length;
    tail = text.slice(-TAIL);
    // Every closing tag has one of these characters.
    if (!text.includes("/") && !text.includes("|")) return;
    if (findLoneClosing(text, { from, isWhole: false }) !== -1) observed.set(key, "lone closing");
  };
}

const tooManyThoughtsError = () => new ReplySizeError("The model sent more than 1 MiB of thoughts.");

const THOUGHTS_ID = "thoughts in the text";
/** The number of shown characters in which a closing tag and the line before it are searched. */
const TAIL = 200;
/** The white space at the start of a text that is kept until the text begins. */
const MAX_WHITE_SPACE = 1_000;
const asText = { chatCompletions: { isText: true } };

/**
 * The position after the first closing tag that begins or ends a line, or -1. A reply about such tags has them in the
 * middle of a line. The end of the text ends a line only if the text is whole.
 */
function findLoneClosing(text: string, { from, isWhole }: { from: number; isWhole: boolean }): number {
  anyClosing.lastIndex = from;
  for (let found = anyClosing.exec(text); found; found = anyClosing.exec(text)) {
    const end = found.index + found[0].length;
    const isFirst = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, found.index - 80), found.index));
    const rest = text.slice(end, end + 80);
    if (isFirst || /^[ \t]*\r?\n/.test(rest) || (isWhole && rest.trim() === "")) return end;
  }
  return -1;
}

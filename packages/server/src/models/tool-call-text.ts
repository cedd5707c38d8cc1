import { newCallId } from "../ids.ts";
import type { ModelPart } from "./chat-model.ts";
import { parseOrNull } from "./json.ts";
import { ReplySizeError } from "./model-error.ts";

/**
 * Blocks in which models write calls of tools as text, when their server does not recognize them. A block without a
 * closing mark extends to the end of the step.
 */
const blocks: ReadonlyArray<readonly [opening: string, closing: string | null]> = [
  ["<tool_call>", "</tool_call>"],
  ["<tool_calls>", "</tool_calls>"],
  ["<function_call>", "</function_call>"],
  ["<function=", "</function>"],
  ["<minimax:tool_call>", "</minimax:tool_call>"],
  ["<|tool_call|>", "<|/tool_call|>"],
  ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
  ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"],
  ["<|python_tag|>", null],
  ["[TOOL_CALLS]", null],
  // Some models leave out the opening tag.
  ["</tool_call>", ""],
  // Marks of the end, which servers with a wrong template pass on as text.
  ["<|END_RESPONSE|>", ""],
  ["<|return|>", ""],
  ["<|im_end|>", ""],
  ["<|eot_id|>", ""],
];
const openings = blocks.map(([opening]) => opening);
const longestOpening = Math.max(...openings.map(({ length }) => length));
const anyOpening = new RegExp(openings.map((opening) => RegExp.escape(opening)).join("|"), "g");

/** The maximum size of a block in characters. */
const MAX_BLOCK = 1024 * 1024;
/** The number of lines of a block that are parsed, because text that is not JSON costs an exception. */
const MAX_LINES = 256;

/**
 * Removes calls of tools that a model has written as text, so that visitors never read them. Calls of tools that were
 * offered become `tool-call` parts. A mark in a code span or code block is text.
 */
export function createToolCallTextFilter(
  toolNames: ReadonlySet<string>,
  emit: (part: ModelPart) => void,
): (part: ModelPart) => void {
  /** text that may be the start of a block, or the block so far */
  let held = "";
  let block: (typeof blocks)[number] | null = null;
  /** the position in the block from which its closing mark is searched */
  let searchFrom = 0;
  /** the end of the block so far, which may be the start of its closing mark */
  let tail = "";
  let blockId = "";
  let blockEnd: ModelPart | null = null;
  const calls: ModelPart[] = [];
  /** the number of backticks at the end of the shown text, and whether it ends inside a code block */
  let backticks = 0;
  let isInCode = false;

  function show(text: string) {
    if (text === "") return;
    for (const [run] of text.matchAll(/`+|[^`]+/g)) {
      const previous = backticks;
      backticks = run.startsWith("`") ? previous + run.length : 0;
      if (previous < 3 && backticks >= 3) isInCode = !isInCode;
    }
    emit({ type: "text-delta", id: blockId, delta: text });
  }

  function read(isEnd: boolean): void {
    while (held !== "") {
      if (block === null && !readText(isEnd)) return;
      if (block !== null && !readBlock(isEnd)) return;
    }
  }

  /** @returns whether there is more to read */
  function readText(isEnd: boolean): boolean {
    anyOpening.lastIndex = 0;
    const found = anyOpening.exec(held);
    if (!found) {
      const start = isEnd ? held.length : findPartialOpening(held);
      const text = held.slice(0, start);
      held = held.slice(start);
      show(text);
      return false;
    }
    show(held.slice(0, found.index));
    held = held.slice(found.index);
    if (isInCode || backticks > 0) {
      show(found[0]);
      held = held.slice(found[0].length);
    } else {
      block = blocks.find(([opening]) => opening === found[0]) ?? null;
      searchFrom = found[0].length;
    }
    return true;
  }

  function readBlock(isEnd: boolean): boolean {
    const [opening, closing] = block ?? ["", null];
    const position = closing === null ? -1 : held.indexOf(closing, searchFrom);
    if (position === -1 && !isEnd) {
      searchFrom = Math.max(opening.length, held.length - (closing?.length ?? 0));
      tail = held.slice(searchFrom);
      return false;
    }
    const end = position === -1 ? held.length : position + (closing?.length ?? 0);
    calls.push(...readCalls(held.slice(0, end), toolNames));
    held = held.slice(end);
    block = null;
    return true;
  }

  /** Searches only the new text and the end of the text before it. Searching the block copies all of it. */
  function mayClose(delta: string): boolean {
    if (held.length > MAX_BLOCK) throw new ReplySizeError("The model's tool calls are too large.");
    const closing = block?.[1] ?? null;
    if (closing === null) return false;
    const text = tail + delta;
    tail = text.slice(-closing.length);
    return text.includes(closing);
  }

  function flush() {
    read(true);
    if (blockEnd) emit(blockEnd);
    blockEnd = null;
    for (const call of calls.splice(0)) emit(call);
  }

  return (part) => {
    switch (part.type) {
      case "text-delta":
        if (held === "" && !/[<[`]/.test(part.delta)) {
          if (part.delta !== "") backticks = 0;
          return emit(part);
        }
        blockId = part.id;
        held += part.delta;
        if (block !== null && !mayClose(part.delta)) return;
        return read(false);
      case "text-end":
        if (held === "") return emit(part);
        blockEnd = part;
        return;
      case "tool-call":
      case "finish":
        flush();
        return emit(part);
      default:
        return emit(part);
    }
  };
}

/** The position of the text's end that may be the start of an opening, or the length of the text. */
function findPartialOpening(text: string): number {
  for (let start = Math.max(0, text.length - longestOpening + 1); start < text.length; start++) {
    const end = text.slice(start);
    if (openings.some((opening) => opening.startsWith(end))) return start;
  }
  return text.length;
}

type WrittenCall = { name: string; input: string };

/** A block can have a megabyte, so nothing that reads it may take quadratic time. */
function readCalls(block: string, toolNames: ReadonlySet<string>): ModelPart[] {
  const written = [...readJsonCalls(block), ...readTaggedCalls(block), ...readNamedCalls(block)];
  const offered = written.filter(({ name }) => toolNames.has(name));
  return offered.map(({ name, input }) => ({ type: "tool-call", toolCallId: newCallId(), toolName: name, input }));
}

/** `{"name": "…", "arguments": {…}}`, one or several. */
function readJsonCalls(block: string): WrittenCall[] {
  return listJsonValues(block).flatMap((value) => {
    const { name, function: called, arguments: given, parameters, input } = value as { [name: string]: unknown };
    const target = typeof called === "object" && called !== null ? (called as { [name: string]: unknown }) : null;
    const tool = target?.name ?? name ?? called;
    const sent = target?.arguments ?? given ?? parameters ?? input ?? {};
    if (typeof tool !== "string") return [];
    return [{ name: tool, input: typeof sent === "string" ? sent : JSON.stringify(sent) }];
  });
}

/** The JSON objects in a text, also those in lists. */
function listJsonValues(text: string): object[] {
  const end = Math.max(text.lastIndexOf("]"), text.lastIndexOf("}"));
  const whole = parseOrNull(text.slice(text.search(/[[{]/), end + 1));
  if (Array.isArray(whole)) return whole.filter((item) => typeof item === "object" && item !== null);
  if (whole !== null && typeof whole === "object") return [whole];
  const lines = text.split(/\n|(?<=\})\s*(?=<)/).filter((line) => line.includes("{"));
  return lines.slice(0, MAX_LINES).flatMap((line) => {
    const value = parseOrNull(line.slice(line.indexOf("{"), line.lastIndexOf("}") + 1));
    return value !== null && typeof value === "object" && !Array.isArray(value) ? [value] : [];
  });
}

/**
 * Calls with tagged parameters: `<function=name><parameter=key>value</parameter></function>` (Qwen),
 * `name<arg_key>key</arg_key><arg_value>value</arg_value>` (GLM), `<invoke name="name"><parameter name="key">value`
 * (MiniMax).
 */
function readTaggedCalls(block: string): WrittenCall[] {
  const starts = [
    ...block.matchAll(
      /<function=([\w.-]+)>|<invoke name="([\w.-]+)">|<tool_call>\s*([\w.-]+)\s*(?=<arg_key>|<\/tool_call>)/g,
    ),
  ];
  return starts.map((start, index) => {
    const body = block.slice(start.index + start[0].length, starts[index + 1]?.index ?? block.length);
    const json = parseOrNull(body.slice(0, body.lastIndexOf("}") + 1));
    const name = start[1] ?? start[2] ?? start[3] ?? "";
    return { name, input: JSON.stringify(json ?? readParameters(body)) };
  });
}

function readParameters(body: string): { [name: string]: unknown } {
  const qwen = body.split("</parameter>").map((text) => {
    const start = /<parameter(?:=| name=")([\w.-]+)"?>/.exec(text);
    return start && [start[1], text.slice(start.index + start[0].length)];
  });
  const glm = body.split("</arg_value>").map((text) => {
    const [before = "", value] = text.split("<arg_value>");
    const name = before.split("<arg_key>")[1]?.split("</arg_key>")[0];
    return name !== undefined && value !== undefined && [name, value];
  });
  const parameters = [...qwen, ...glm].flatMap((parameter) =>
    parameter ? [parameter.map((text = "") => text.trim())] : [],
  );
  return Object.fromEntries(parameters.map(([name, value = ""]) => [name, parseOrNull(value) ?? value]));
}

/** `functions.name:0<|tool_call_argument_begin|>{…}` (Kimi), `name<｜tool▁sep｜>{…}` (DeepSeek), `name[ARGS]{…}` (Mistral). */
function readNamedCalls(block: string): WrittenCall[] {
  const pattern =
    /(?<![\w-])(?:functions\.)?([\w-]+)(?::\d+)?\s*(?:<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|\[ARGS\])\s*([\s\S]*?)(?=<\|tool_call_end\|>|<｜tool▁call▁end｜>|\[TOOL_CALLS\]|<\||<｜|$)/g;
  return [...block.matchAll(pattern)].map(([, name = "", input = ""]) => ({ name, input: input.trim() }));
}

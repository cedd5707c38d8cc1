import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** The texts of a step. They are kept by reference, and become JSON only if they are exported. */
export type StepTexts =
  | { kind: "model"; prompt: LanguageModelV4Prompt; output: AssistantContent }
  | { kind: "tool"; callId: string; input: unknown; result: string };

/** The maximum length of one text and of all texts of an attribute, in characters. The newest messages are kept. */
const MAX_TEXT = 16_000;
const MAX_ATTRIBUTE = 64_000;

type Part = Record<string, unknown>;

/** The attributes with the texts of a model call, in the JSON of the GenAI semantic conventions. */
export function describeModelTexts(
  { prompt, output }: Extract<StepTexts, { kind: "model" }>,
  finishReason: string,
): Record<string, string> {
  const instructions = prompt.flatMap((message) => (message.role === "system" ? [toTextPart(message.content)] : []));
  const messages = prompt.filter(({ role }) => role !== "system");
  const answer = { role: "assistant", parts: output.flatMap(toPart), finish_reason: finishReason };
  return {
    ...(instructions.length > 0 ? { "gen_ai.system_instructions": toBoundedJson(instructions) } : {}),
    "gen_ai.input.messages": toBoundedJson(messages.map(toMessage)),
    "gen_ai.output.messages": toBoundedJson([answer]),
  };
}

/** One message with one text, as the conventions write it. */
export function describeText(role: "user" | "assistant", text: string): string {
  return JSON.stringify([{ role, parts: [toTextPart(text)] }]);
}

/** The attributes with the arguments and the result of a tool. */
export function describeToolTexts({ callId, input, result }: Extract<StepTexts, { kind: "tool" }>) {
  return {
    "gen_ai.tool.call.id": callId,
    "gen_ai.tool.call.arguments": toText(input),
    "gen_ai.tool.call.result": toText(result),
  };
}

const toText = (value: unknown) => cut(typeof value === "string" ? value : JSON.stringify(value ?? null));

function toMessage({ role, content }: LanguageModelV4Message) {
  return { role, parts: typeof content === "string" ? [toTextPart(content)] : content.flatMap(toPart) };
}

type ContentPart = Exclude<LanguageModelV4Message["content"], string>[number];

/** Thoughts are left out, because Foyer keeps them for no longer than the reply runs. */
function toPart(part: ContentPart): Part[] {
  switch (part.type) {
    case "text":
      return [toTextPart(part.text)];
    case "tool-call":
      return [{ type: "tool_call", id: part.toolCallId, name: part.toolName, arguments: toText(part.input) }];
    case "tool-result": {
      const { output } = part;
      const response = "value" in output ? output.value : null;
      return [{ type: "tool_call_response", id: part.toolCallId, response: toText(response) }];
    }
    default:
      return [];
  }
}

const toTextPart = (text: string): Part => ({ type: "text", content: cut(text) });

const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Leaves out the oldest entries until the rest is short enough. */
function toBoundedJson(entries: readonly object[]): string {
  const newest: string[] = [];
  let length = 0;
  for (const entry of entries.toReversed()) {
    const json = JSON.stringify(entry);
    length += json.length;
    if (length > MAX_ATTRIBUTE && newest.length > 0) break;
    newest.unshift(json.length > MAX_ATTRIBUTE ? JSON.stringify({ ...entry, parts: [] }) : json);
  }
  return `[${newest.join(",")}]`;
}

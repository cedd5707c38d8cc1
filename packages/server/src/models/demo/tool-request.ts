import type { JSONValue, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { fold, stemWords } from "./words.ts";

/** Longer messages are not treated as a request for a tool. */
const MAX_REQUEST = 500;
/** "I don't want …", "Why …" and "I read about …" name a tool without asking for it. */
const noRequest = /\b(?:not|never|nicht|kein\w*|pas|jamais)\b|n't\b|^(?:why|i (?:read|like|wrote|love|saw))\b/;
/** Verbs that only mean "tell me". The other words of the tool's name identify it. */
const lookUps = new Set(stemWords("show list find check search look fetch read view query display see"));

export type ToolRequest = { toolName: string; input: Record<string, JSONValue> };

type Schema = { type?: string; enum?: unknown[]; properties?: Record<string, Schema>; required?: string[] };

/**
 * The tool that a message clearly asks for, if the message has every required input. Null when there is none, or when
 * two match equally well.
 */
export function findRequestedTool(message: string, tools: readonly LanguageModelV4FunctionTool[]): ToolRequest | null {
  const text = fold(message).trim();
  if (message.length > MAX_REQUEST || noRequest.test(text)) return null;
  const said = new Set(stemWords(message));
  const requests = tools.flatMap(({ name, description = "", inputSchema }) => {
    const words = new Set(stemWords(name.replaceAll("_", " ")).filter((word) => !lookUps.has(word)));
    const described = new Set(stemWords(description));
    const named = words.intersection(said).size;
    const explained = described.intersection(said).size;
    const isClear = named > 0 && (named === words.size || (named >= words.size / 2 && explained > 0));
    const score = text.includes(name.toLowerCase()) ? Number.POSITIVE_INFINITY : isClear ? 2 * named + explained : 0;
    const input = score > 0 ? readInput(inputSchema as Schema, message, words) : null;
    return input === null ? [] : [{ toolName: name, input, score }];
  });
  const [best, second] = requests.toSorted((a, b) => b.score - a.score);
  return best && best.score !== second?.score ? { toolName: best.toolName, input: best.input } : null;
}

/** The required inputs and the options that the message names; null when a required one is missing. */
function readInput({ properties = {}, required = [] }: Schema, message: string, name: ReadonlySet<string>) {
  const input: Record<string, JSONValue> = {};
  for (const [key, schema] of Object.entries(properties)) {
    const value = schema.enum || required.includes(key) ? readValue(key, schema, { message, name }) : undefined;
    if (value !== undefined) input[key] = value;
  }
  return required.every((key) => Object.hasOwn(input, key)) ? input : null;
}

type Request = { message: string; name: ReadonlySet<string> };

function readValue(key: string, schema: Schema, { message, name }: Request): JSONValue | undefined {
  if (schema.enum) {
    const said = new Set(stemWords(message));
    const named = schema.enum.filter((option) => stemWords(String(option)).some((word) => said.has(word)));
    return named.length === 1 ? (named[0] as JSONValue) : undefined;
  }
  if (schema.type === "number") return readNumber(/-?\d+(?:\.\d+)?/, message);
  if (schema.type === "integer") return readNumber(/-?\d+(?![.\d])/, message);
  if (schema.type !== "string") return undefined;
  if (/mail/i.test(key)) return /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/.exec(message)?.[0];
  if (/(?:^|_)(?:id|code|sku|number|date)$|Id$/.test(key)) return /[\w-]*\d[\w-]*/.exec(message)?.[0];
  const isNew = (word: string) => stemWords(word).some((stem) => !name.has(stem) && !lookUps.has(stem));
  const others = (message.match(/[\p{L}\p{N}]+/gu) ?? []).filter(isNew).join(" ");
  const proper = /(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]*(?: (?:\p{Lu}|\d)[\p{L}\p{N}]*)*/u.exec(message)?.[0];
  return /["“„«]([^"”“»]{1,200})["”“»]/.exec(message)?.[1] ?? proper ?? (others || undefined);
}

function readNumber(pattern: RegExp, message: string): number | undefined {
  const found = pattern.exec(message)?.[0];
  return found === undefined ? undefined : Number(found);
}

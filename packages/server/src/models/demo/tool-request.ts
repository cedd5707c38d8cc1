import type { JSONValue, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { fold, stemWords } from "./words.ts";

/** Longer messages are not treated as a request for a tool. */
const MAX_REQUEST = 500;

export type ToolRequest = { toolName: string; input: Record<string, JSONValue> };

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  properties?: Record<string, unknown>;
  required?: string[];
};

const negation = /\b(?:not|never|nicht|kein\w*|pas|jamais)\b|n't\b|^why\b/;
/** Statements about the visitor or the shop, which are not requests. */
const statement = /^(?:i (?:read|like|wrote|love|saw)|nice|great|thanks?)\b/;
/** Verbs that only mean "tell me". The other words of the tool's name identify it. */
const lookUps = new Set(
  stemWords("show list find check search look lookup fetch read view query retrieve display see"),
);
const splitCamelCase = (key: string) => key.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[_-]/g, " ");

/**
 * The one tool that a message clearly asks for: it has the tool's name, or most of the name's words, and every required
 * input. Null when there is none, or when two match equally well.
 */
export function findRequestedTool(message: string, tools: readonly LanguageModelV4FunctionTool[]): ToolRequest | null {
  const text = fold(message).trim();
  if (message.length > MAX_REQUEST || negation.test(text) || statement.test(text)) return null;
  const said = new Set(stemWords(message));
  const rated = tools.flatMap((tool) => {
    const score = rate(tool, said, text);
    const input = score > 0 ? fill(tool.inputSchema as Schema, message, tool) : null;
    return input === null ? [] : [{ toolName: tool.name, input, score }];
  });
  const [best, second] = rated.toSorted((a, b) => b.score - a.score);
  return best && best.score !== second?.score ? { toolName: best.toolName, input: best.input } : null;
}

/** Returns 0 if the message does not clearly ask for the tool. */
function rate(
  { name, description = "", inputSchema }: LanguageModelV4FunctionTool,
  said: ReadonlySet<string>,
  text: string,
) {
  if (text.includes(name.toLowerCase())) return 10;
  const words = [...new Set(stemWords(splitCamelCase(name)))].filter((word) => !lookUps.has(word));
  const named = words.filter((word) => said.has(word)).length;
  const properties = Object.values((inputSchema as Schema).properties ?? {}) as Schema[];
  const options = properties.flatMap((property) => property.enum ?? []);
  const context = new Set(
    stemWords([description, ...options.map((option) => splitCamelCase(String(option)))].join(" ")),
  );
  const described = [...context].filter((word) => said.has(word) && !words.includes(word)).length;
  const asked = characterPairs(text);
  const phrases = [...characterPairs(`${splitCamelCase(name)}. ${description}`)].filter((pair) =>
    asked.has(pair),
  ).length;
  const agreed = named + described + phrases;
  // A single matching word is enough only if the message has no other words.
  if (named === 0 || named < words.length / 2 || (agreed < 2 && said.size > 1)) return 0;
  return named * 2 + described + phrases;
}

/**
 * Pairs of adjacent words of which at least one is meaningful, such as "in stock". They are stronger evidence than each
 * word alone.
 */
function characterPairs(text: string): Set<string> {
  const words = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const pairs = words.slice(1).map((word, index) => `${words[index] ?? ""} ${word}`);
  return new Set(pairs.filter((pair) => stemWords(pair).length > 0));
}

/** The required inputs, read from the message; null when one is missing. */
function fill({ properties = {}, required = [] }: Schema, message: string, tool: LanguageModelV4FunctionTool) {
  const input: Record<string, JSONValue> = {};
  const own = new Set(stemWords(`${splitCamelCase(tool.name)} ${tool.description ?? ""}`));
  for (const key of required) {
    const value = chooseInput(key, (properties[key] ?? {}) as Schema, { message, own });
    if (value === undefined) return null;
    input[key] = value;
  }
  for (const [key, property] of Object.entries(properties)) {
    const named = required.includes(key) ? undefined : findNamedOption((property as Schema).enum, message);
    if (named !== undefined) input[key] = named;
  }
  return input;
}

function chooseInput(
  key: string,
  schema: Schema,
  { message, own }: { message: string; own: ReadonlySet<string> },
): JSONValue | undefined {
  const { type = "string", format = "" } = schema;
  if (schema.enum) return findNamedOption(schema.enum, message);
  if (type === "object") return (schema.required ?? []).length === 0 ? {} : undefined;
  if (type === "number" || type === "integer") {
    const number = /-?\d+(?:\.\d+)?/.exec(message)?.[0];
    return number === undefined || (type === "integer" && number.includes(".")) ? undefined : Number(number);
  }
  if (type !== "string") return undefined;
  const shape = `${format} ${fold(splitCamelCase(key))}`;
  if (/mail/.test(shape)) return /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/.exec(message)?.[0];
  if (/\b(?:uri|url|link)\b/.test(shape)) return /https?:\/\/[^\s"'<>]+/.exec(message)?.[0];
  if (/\bdate\b/.test(shape)) return /\b\d{4}-\d\d-\d\d\b/.exec(message)?.[0];
  if (/\b(?:id|code|sku|reference|number)\b/.test(shape)) return /\b[\w-]*\d[\w-]*\b/.exec(message)?.[0];
  return (
    /["“„«]([^"”“»]{1,200})["”“»]/.exec(message)?.[1] ?? findProperName(message, own) ?? findOtherWords(message, own)
  );
}

function findNamedOption(options: unknown[] | undefined, message: string): string | number | undefined {
  const line = ` ${stemWords(message).join(" ")} `;
  const named = (options ?? []).filter(
    (option): option is string | number =>
      (typeof option === "string" || typeof option === "number") &&
      line.includes(` ${stemWords(splitCamelCase(String(option))).join(" ")} `),
  );
  return named.length === 1 ? named[0] : undefined;
}

/** Capitalized words after the first one, such as "Harbour City". */
function findProperName(message: string, own: ReadonlySet<string>): string | undefined {
  const names = [...message.matchAll(/(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]*(?: (?:\p{Lu}[\p{L}\p{N}]*|\d+))*/gu)];
  return names.map(([name]) => name).find((name) => stemWords(name).some((word) => !own.has(word)));
}

/** The words of the message that are not in the tool's name. */
function findOtherWords(message: string, own: ReadonlySet<string>): string | undefined {
  const words = message.match(/[\p{L}\p{N}]+/gu) ?? [];
  const left = words.filter((word) => stemWords(word).some((stem) => !own.has(stem) && !lookUps.has(stem)));
  return left.length === 0 || left.length > 6 ? undefined : left.join(" ");
}

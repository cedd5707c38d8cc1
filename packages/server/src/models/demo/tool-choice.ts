import type { JSONValue, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { contentWords, fold, sentences, type Token, timeWords, tokens } from "./demo-search.ts";

/** A request for a tool is short. What follows is not looked at, which bounds the cost of the patterns below. */
const REQUEST_LENGTH = 2000;
/** A number belongs to an optional property when a word of the property is within this many characters of it. */
const NEAR = 24;
/** More words than this are a remark, not the value of an input, unless the input is a search or a message. */
const MOST_WORDS = 6;

export type ToolRequest = { toolName: string; input: Record<string, JSONValue> };

/**
 * The one tool that a message clearly asks for, with its input, or `null`. Clearly means: a sentence asks (it is a question,
 * a request or a bare phrase, and not negated); it has at least half of the words of the tool's name, and the name's verb if
 * that is an action ("book"); two words or a phrase agree, or nothing in the sentence is left over; no other tool fits as
 * well; and every required input is in the message. Optional inputs are given only where they are unmistakable.
 */
export function chooseTool(message: string, tools: readonly LanguageModelV4FunctionTool[]): ToolRequest | null {
  const text = message.slice(0, REQUEST_LENGTH);
  const asking = sentences(text).flatMap(readSentence);
  if (asking.length === 0) return null;
  const rated = tools.flatMap((tool) => {
    const schema = asSchema(tool.inputSchema);
    const words = wordsOf(tool, schema);
    const values = readValues(text, words);
    const input = fillObject(schema, values);
    if (input === null) return [];
    const score = Math.max(...asking.map((sentence) => rate(words, sentence, values)));
    return score > 0 ? [{ toolName: tool.name, input, score }] : [];
  });
  const [best, second] = rated.toSorted((a, b) => b.score - a.score);
  return best && best.score !== second?.score ? { toolName: best.toolName, input: best.input } : null;
}

type Sentence = { words: Set<string>; spoken: Set<string>; pairs: Set<string>; wishes: boolean; isPhrase: boolean };

/** Nothing for a sentence that asks for nothing. */
function readSentence(sentence: string): Sentence[] {
  const text = fold(sentence);
  if (negation.test(text) || /^(?:why|warum|wieso|pourquoi)\b/.test(text)) return [];
  const found = tokens(sentence);
  const isPhrase = !/[?？]/.test(text) && !request.test(text);
  if (isPhrase && (found.length > 5 || statement.test(text))) return [];
  return [
    {
      words: new Set(contentWords(sentence).filter((word) => !timeWords.has(word) && !lookUps.has(word))),
      // A verb may be a stop word elsewhere ("buy").
      spoken: new Set(found.flatMap((token) => [token.word, ...token.stems])),
      pairs: pairsOf(found),
      wishes: wish.test(text),
      isPhrase,
    },
  ];
}

const negation = /\b(?:not|never|no longer|nicht|nie|keine?[nrms]?|pas|jamais)\b|n't\b|しない|不要/;
const statement =
  /^(?:i|i'm|we|my|our|you|your|he|she|it|this|that|these|the|there|nice|great|good|love|thanks?|ich|wir|mein|je|nous|mon)\b/;
const wish =
  /\b(?:i|we) (?:want|need|would like)\b|\b(?:i|we)'d like\b|\b(?:can|could|may) (?:i|we) (?:have|get|do|take|make)\b|\bich (?:mochte|will|hatte gern)\b|\bje (?:voudrais|veux)\b/;
const actions =
  "book reserve schedule request order register subscribe join start create send submit buy cancel update change delete add remove pay report apply leave contact call rent return";
/** What a wish for the thing stands for: "I'd like a test ride" asks to book one. Nothing that costs or destroys. */
const wishable = new Set(contentWords("book reserve schedule request register subscribe join start"));
/** Verbs that say only "tell me": the rest of the tool's name says what. */
const lookUps = new Set(
  "show list find check search lookup fetch read view query retrieve display see help".split(" ").flatMap(contentWords),
);
const request = new RegExp(
  `${wish.source}|\\b(?:please|can you|could you|would you|let me (?:see|know)|bitte|kannst du|konnen sie|pouvez-vous)\\b|教えて|ください|下さい|见|查|^(?:hi,? |hello,? |and )?(?:show|tell|give|find|check|look|search|list|get|zeig|zeige|suche|montre|montrez|cherche|${actions.replaceAll(" ", "|")})\\b`,
);

type ToolWords = { verb: string; name: Set<string>; keys: Set<string>; others: Set<string>; pairs: Set<string> };

function wordsOf(tool: LanguageModelV4FunctionTool, schema: Schema): ToolWords {
  const [first = "", ...rest] = tool.name.split("_");
  // "order_status" orders nothing.
  const hasVerb =
    actions.split(" ").includes(first) &&
    rest.length > 0 &&
    !/^(?:status|state|history|details|info|list|total|tracking|hours|policy)$/.test(rest[0] ?? "");
  const useful = (text: string) => contentWords(text).filter((word) => !lookUps.has(word));
  const name = new Set(useful((hasVerb ? rest : [first, ...rest]).join(" ")));
  const properties = Object.entries(schema.properties ?? {});
  const keys = new Set(properties.flatMap(([key]) => useful(spaced(key))));
  const texts = [tool.description ?? "", ...properties.map(([, property]) => asSchema(property).description ?? "")];
  const others = new Set([...keys, ...texts.flatMap(useful)].filter((word) => !name.has(word)));
  const pairs = pairsOf(tokens([[first, ...rest].join(" "), ...texts].join(". ")));
  return { verb: hasVerb ? (contentWords(first)[0] ?? first) : "", name, keys, others, pairs };
}

/** Neighbouring words, such as "in stock"; they say more than each word alone. Articles are skipped. */
function pairsOf(found: Token[]): Set<string> {
  const list = found.filter((token) => !/^(?:the|an?|your|our|my|der|die|das|le|la|les)$/.test(token.word));
  return new Set(
    list.slice(1).flatMap((token, index) => {
      const before = list[index];
      const counts = before && (token.stems.length > 0 || before.stems.length > 0);
      return counts ? [`${before.word} ${token.word}`] : [];
    }),
  );
}

/** 0 when the sentence does not clearly ask for the tool. */
function rate({ verb, name, others, pairs }: ToolWords, sentence: Sentence, values: Values): number {
  const isSaid = sentence.spoken.has(verb);
  if (verb !== "" && !isSaid && !(wishable.has(verb) && sentence.wishes)) return 0;
  const count = (words: Set<string>) => [...words].filter((word) => sentence.words.has(word)).length;
  const [named, described] = [count(name), count(others)];
  const phrases = [...pairs].filter((pair) => sentence.pairs.has(pair)).length;
  if (named === 0 ? described + phrases < 3 : named < name.size / 2) return 0;
  const agreed = named + described + phrases + (isSaid ? 1 : 0);
  const known = (word: string) => name.has(word) || others.has(word) || word === verb || values.certain.has(word);
  const unknown = [...sentence.words].filter((word) => !known(word));
  if (unknown.length > 0 && (agreed < 2 || sentence.isPhrase)) return 0;
  const uncovered = unknown.filter((word) => !values.loose.has(word));
  return uncovered.length > sentence.words.size / 2 ? 0 : named * 2 + described + agreed;
}

type Schema = {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
};

/** Input schemas are checked when a tool is saved; only `true`, `false` and nothing need a stand-in here. */
const asSchema = (schema: unknown): Schema => (typeof schema === "object" && schema !== null ? schema : {});
const typeOf = ({ type = "string" }: Schema) => (Array.isArray(type) ? type.find((one) => one !== "null") : type);
const spaced = (key: string) => key.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[_-]/g, " ");

function fillObject(schema: Schema, values: Values): Record<string, JSONValue> | null {
  const required = new Set(schema.required ?? []);
  const properties = Object.entries(schema.properties ?? {}).map(([key, value]) => ({
    key,
    property: asSchema(value),
  }));
  if ([...required].some((key) => !Object.hasOwn(schema.properties ?? {}, key))) return null;
  // Free text comes last: it takes what the others leave over.
  const order = ({ key, property }: { key: string; property: Schema }) =>
    (property.enum ? 0 : shapeOf(key, property) === "text" ? 4 : 2) + (required.has(key) ? 0 : 1);
  const input: [string, JSONValue][] = [];
  for (const { key, property } of properties.toSorted((a, b) => order(a) - order(b))) {
    const value = fill(key, property, required.has(key), values);
    if (value !== undefined) input.push([key, value]);
    else if (required.has(key)) return null;
  }
  return Object.fromEntries(input);
}

function fill(key: string, schema: Schema, isRequired: boolean, values: Values): JSONValue | undefined {
  const named = schema.enum ? takeNamed(schema.enum, values) : [];
  if (schema.enum) return named.length === 1 ? named[0] : undefined;
  switch (typeOf(schema)) {
    case "number":
    case "integer":
      return takeNumber(key, schema, isRequired, values);
    case "boolean":
      return takeStated(key, values);
    case "array": {
      const list = fillList(key, asSchema(schema.items), isRequired, values);
      return list.length > 0 ? list : undefined;
    }
    case "object":
      return isRequired && (schema.required ?? []).length === 0 ? {} : undefined;
    default:
      return isRequired || shapeOf(key, schema) !== "text" ? takeText(key, schema, values) : undefined;
  }
}

function fillList(key: string, items: Schema, isRequired: boolean, values: Values): JSONValue[] {
  if (items.enum) return takeNamed(items.enum, values);
  const list: JSONValue[] = [];
  // Numbers and texts are used up as they are taken; other kinds would never end.
  const endsSomeTime = ["number", "integer", "string"].includes(typeOf(items) ?? "");
  while (isRequired && endsSomeTime) {
    const next = fill(key, items, true, values);
    if (next === undefined) break;
    list.push(next);
  }
  return list;
}

type Shape = "email" | "url" | "date" | "phone" | "code";

function shapeOf(key: string, { format = "" }: Schema): Shape | "text" {
  const name = fold(spaced(key));
  if (/mail/.test(name) || format === "email") return "email";
  if (/\b(?:url|uri|link|website)\b/.test(name) || format === "uri") return "url";
  if (/\b(?:date|day|datum|when)\b/.test(name) || format.startsWith("date")) return "date";
  if (/\b(?:phone|tel|telephone|mobile)\b/.test(name)) return "phone";
  return /\b(?:id|code|sku|ref|reference|number|nr)\b/.test(name) ? "code" : "text";
}

type Values = ReturnType<typeof readValues>;

/** Everything in a message that can be an input. What is taken once is not given to a second property. */
function readValues(message: string, own: ToolWords) {
  const parts = takeApart(message);
  const found = tokens(message);
  const isOwn = (token: Token) => token.stems.every((stem) => own.name.has(stem) || own.others.has(stem));
  return {
    ...parts,
    message,
    own,
    isOwn,
    found,
    names: properNames(parts.rest, isOwn),
    /** Words that an input certainly stands for, and words that are an input only because they were left over. */
    certain: new Set<string>(),
    loose: new Set<string>(),
  };
}

function sure<T extends string | undefined>(text: T, { certain }: Values): T {
  for (const word of contentWords(text ?? "")) certain.add(word);
  return text;
}

function takeNamed(options: unknown[], values: Values): JSONValue[] {
  const { found, numbers, message } = values;
  const line = ` ${found.map(keyOf).join(" ")} `;
  const isNamed = (option: unknown): option is string | number => {
    if (typeof option === "number") return numbers.some((number) => number.value === option);
    if (typeof option !== "string" || option === "") return false;
    if (option.length === 1) return found.some((token) => token.text === option);
    const key = tokens(spaced(option)).map(keyOf).join(" ");
    return (
      key !== "" && (line.includes(` ${key} `) || (/[^\p{sc=Latin}\P{L}]/u.test(option) && message.includes(option)))
    );
  };
  const all = options.filter(isNamed);
  const longest = all.filter((one) => !all.some((other) => other !== one && fold(`${other}`).includes(fold(`${one}`))));
  for (const one of longest) sure(spaced(`${one}`), values);
  return longest;
}

function takeNumber(key: string, schema: Schema, isRequired: boolean, values: Values): number | undefined {
  const { numbers, found } = values;
  const { type, minimum = -Infinity, maximum = Infinity } = schema;
  const words = new Set(contentWords(spaced(key)));
  const places = found.filter((token) => token.stems.some((stem) => words.has(stem)));
  const gap = ({ at, text }: NumberFound) =>
    Math.min(...places.map((word) => (at > word.at ? at - word.at - word.text.length : word.at - at - text.length)));
  const fits = ({ value }: NumberFound) =>
    value >= minimum && value <= maximum && (type !== "integer" || Number.isInteger(value));
  const [closest] = numbers.filter(fits).toSorted((a, b) => gap(a) - gap(b) || a.at - b.at);
  if (!closest || !(isRequired || gap(closest) <= NEAR)) return undefined;
  numbers.splice(numbers.indexOf(closest), 1);
  sure(closest.text, values);
  return closest.value;
}

function takeStated(key: string, { found }: Values): boolean | undefined {
  const words = contentWords(spaced(key));
  const at = found.findIndex((_, index) => words.every((word, ahead) => found[index + ahead]?.stems[0] === word));
  if (at < 0 || words.length === 0) return undefined;
  const before = found.slice(Math.max(0, at - 2), at).map((token) => token.word);
  const after = found[at + words.length]?.word ?? "";
  const says = (intro: RegExp, answer: RegExp) => before.some((word) => intro.test(word)) || answer.test(after);
  if (says(/^(?:no|without|ohne|keine?n?|sans)$/, /^(?:no|false|nein|non)$/)) return false;
  return says(/^(?:with|include|including|plus|mit|avec)$/, /^(?:yes|true|ja|oui)$/) ? true : undefined;
}

function takeText(key: string, schema: Schema, values: Values): string | undefined {
  const { shapes, quoted, names, numbers } = values;
  const shape = shapeOf(key, schema);
  if (shape === "text") return sure(quoted.shift() ?? names.shift(), values) ?? takeRest(key, values);
  const first = shapes[shape].shift();
  if (first !== undefined) return shape === "date" ? readDate(sure(first, values), schema.format) : sure(first, values);
  const digits = shape === "code" ? numbers.findIndex((one) => /^\d{3,}$/.test(one.text)) : -1;
  return digits < 0 ? undefined : sure(numbers.splice(digits, 1)[0]?.text, values);
}

/** The content words that are neither the tool's nor another input's. */
function takeRest(key: string, { loose, certain, own, rest, isOwn }: Values): string | undefined {
  // Whatever is left is not a person's name, and it is given only once.
  if (loose.size > 0 || /^(?:(?:full|first|last|customer|user|your|contact) )?name$/.test(fold(spaced(key))))
    return undefined;
  const isFree = (stem: string) =>
    !timeWords.has(stem) && !lookUps.has(stem) && !certain.has(stem) && stem !== own.verb;
  const runs: Token[][] = [[]];
  for (const token of tokens(rest)) {
    if (token.stems.some(isFree) && !/^\p{Sc}/u.test(token.text)) runs.at(-1)?.push(token);
    else runs.push([]);
  }
  // "harbour city" stays together even when the description speaks of "Harbour Bikes".
  const strange = runs.filter((run) => !run.every(isOwn));
  const isNamed = (token: Token) => token.stems.every((stem) => own.name.has(stem) || own.keys.has(stem));
  const left = (strange.length > 0 ? strange : runs).flat().filter((token) => !isNamed(token));
  if (left.length > MOST_WORDS && !/query|search|question|message|text|comment|note|term/.test(fold(key)))
    return undefined;
  for (const word of left.flatMap((token) => token.stems)) loose.add(word);
  return left.length === 0 ? undefined : left.map((token) => token.text).join(" ");
}

const keyOf = (token: Token) => (token.stems.length === 1 ? (token.stems[0] ?? "") : token.word);

/** Runs of capitalised words inside a sentence ("the Harbour City"), unless they only repeat the tool's own words. */
function properNames(text: string, isOwn: (token: Token) => boolean): string[] {
  const runs: Token[][] = [];
  let before: Token | undefined;
  for (const token of tokens(text)) {
    const gap = text.slice(before ? before.at + before.text.length : 0, token.at);
    const begins = before === undefined || /[.!?:]/.test(gap);
    const isName =
      /^\p{Lu}/u.test(token.text) && token.stems.some((stem) => !timeWords.has(stem) && !lookUps.has(stem));
    const run = runs.at(-1);
    if (isName && run && run.at(-1) === before && /^[ -]$/.test(gap)) run.push(token);
    else if (isName && !begins) runs.push([token]);
    before = token;
  }
  return runs.filter((run) => !run.every(isOwn)).map((run) => run.map((token) => token.text).join(" "));
}

type NumberFound = { text: string; value: number; at: number };

/** Takes what has a shape out of a message, so that the digits of a date are not numbers too; `rest` has blanks instead. */
function takeApart(message: string) {
  let rest = message;
  const take = (pattern: RegExp): string[] => {
    const all = rest.match(pattern) ?? [];
    rest = rest.replace(pattern, (text) => " ".repeat(text.length));
    return all;
  };
  const email = take(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g);
  const url = take(/https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)]/g);
  const quoted = take(/"[^"\n]{1,200}"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»/g).map((text) =>
    text.slice(1, -1).trim(),
  );
  const date = take(datePattern);
  const phone = take(/(?:\+|\b0)\d[\d ()/-]{5,16}\d\b/g);
  // Times and ordinals are neither codes nor amounts.
  take(/\b\d{1,2}(?::\d{2})?\s?(?:am|pm|uhr)\b|\b\d{1,2}:\d{2}\b|\b\d+(?:st|nd|rd|th)\b/gi);
  const withCodes = rest;
  const code = take(/\b[a-z][a-z_-]{0,20}\d[\w-]{0,40}\b|\b\d{2,12}-\d{2,12}\b/gi);
  const numbers = Array.from(
    rest.matchAll(/(?<![\w.,])-?\d{1,12}(?:[.,]\d{1,3}){0,4}(?!\d)/g),
    ({ 0: text, index }): NumberFound => {
      const plain = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text.replace(",", ".");
      return { text, value: Number(plain), at: index };
    },
  ).filter(({ value }) => Number.isFinite(value));
  return { shapes: { email, url, date, phone, code }, numbers, quoted, rest: withCodes };
}

const month = "(?:jan|feb|f[eé]v|m[aä]r|a[pv]r|ma[iy]|ju[nl]|aug|sep|o[ck]t|nov|de[cz])\\p{L}{0,6}\\.?";
const datePattern = new RegExp(
  [
    "\\b\\d{4}-\\d\\d-\\d\\d(?:T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,6})?)?(?:Z|[+-]\\d\\d:\\d\\d)?)?\\b",
    "\\b\\d{1,2}\\.\\s?\\d{1,2}\\.\\s?\\d{4}\\b",
    `\\b\\d{1,2}(?:st|nd|rd|th|\\.)?\\s${month}\\s\\d{4}\\b`,
    `\\b${month}\\s\\d{1,2}(?:st|nd|rd|th)?,?\\s\\d{4}\\b`,
    "\\b(?:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|heute|morgen|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|demain)\\b",
  ].join("|"),
  "giu",
);
const months = ["jan", "feb|fev", "mar", "apr|avr", "mai|may", "jun", "jul", "aug", "sep", "oct|okt", "nov", "dec|dez"];

/** A calendar date as YYYY-MM-DD. A weekday or "tomorrow" stays as it was said, unless the schema wants a format. */
function readDate(text: string, format = ""): string | undefined {
  if (/^\d{4}-/.test(text)) return format === "date" ? text.slice(0, 10) : text;
  const parts = fold(text).match(/\d+|[a-z]{3,}/g) ?? [];
  if (parts.length < 3) return format === "" ? text : undefined;
  const name = parts.find((part) => /[a-z]/.test(part));
  const [day = "", second = "", year = second] = parts.filter((part) => part !== name);
  const index =
    name === undefined ? Number(second) - 1 : months.findIndex((one) => one.split("|").includes(name.slice(0, 3)));
  const date = new Date(Date.UTC(Number(year), index, Number(day)));
  return date.getUTCMonth() === index && date.getUTCDate() === Number(day)
    ? date.toISOString().slice(0, 10)
    : undefined;
}

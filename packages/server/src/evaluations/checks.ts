import type { AgentTestCheck, AgentTestCreate } from "@foyer/contract";
import type { CheckKind } from "@foyer/contract/rules/evaluations";
import { inKeyOrder } from "@foyer/contract/rules/in-key-order";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { mayBeInLanguage } from "../documents/search/detect-language.ts";
import { checkAll, invalid } from "../errors.ts";
import { withoutMarkdown, withPlainNumbers, withPlainSigns } from "./plain-text.ts";
import { isRefusal } from "./refusal.ts";
import type { SpokenReply } from "./spoken-reply.ts";

/** The field that a check of a kind needs besides `kind`. */
const neededFields: Record<CheckKind, keyof AgentTestCheck | null> = {
  tool_called: "tool",
  tool_not_called: "tool",
  says: "text",
  never_says: "text",
  language: "language",
  cites: "document",
  asks_for_person: null,
  refuses: null,
  max_words: "n",
  judge: "text",
};

/** The fields that a check of a kind may have besides. */
const optionalFields: Partial<Record<CheckKind, keyof AgentTestCheck>> = {
  tool_called: "arguments",
  tool_not_called: "arguments",
};

/** Asks a model whether a reply does what the text says. @returns null, or why it does not */
export type Judge = (text: string, replies: readonly SpokenReply[]) => Promise<string | null>;

/** @throws 400 when a check lacks a field, or has one that its kind does not know */
export function validateCheck(check: AgentTestCheck, path: string): void {
  const needed = neededFields[check.kind];
  if (needed !== null && check[needed] === undefined) {
    throw invalid(`${path}.${needed}`, `is required for ${check.kind}`, "required");
  }
  const known = new Set<string>(["kind", needed ?? "kind", optionalFields[check.kind] ?? "kind"]);
  const unknown = Object.keys(check).find((name) => !known.has(name));
  if (unknown) throw invalid(`${path}.${unknown}`, `does not apply to ${check.kind}`, "not_allowed");
}

/** The checks of a request. @throws 400 with the path of each problem */
export function readChecks(given: AgentTestCreate["checks"]): AgentTestCheck[] {
  const checks = given.map(omitNull);
  checkAll(checks.map((check, index) => () => validateCheck(check, `checks.${index}`)));
  return checks;
}

function omitNull({ kind, ...fields }: AgentTestCreate["checks"][number]): AgentTestCheck {
  const { tool, arguments: values, text, language, document, n } = fields;
  return {
    kind,
    ...omitUndefined({
      tool: tool ?? undefined,
      arguments: values ?? undefined,
      text: text ?? undefined,
      language: language ?? undefined,
      document: document ?? undefined,
      n: n ?? undefined,
    }),
  };
}

/** Checks the replies of a conversation, in order. @returns null when it passes, and otherwise what came instead */
export async function runCheck(
  check: AgentTestCheck,
  replies: readonly SpokenReply[],
  judge: Judge,
): Promise<string | null> {
  const last = replies.at(-1);
  if (!last) return "no reply";
  switch (check.kind) {
    case "tool_called":
      return findCall(check, replies) ? null : describeCalls(replies);
    case "tool_not_called": {
      const call = findCall(check, replies);
      return call ? `called ${describeCall(call)}` : null;
    }
    case "says":
      return contains(last.text, check.text) ? null : quote(last.text);
    case "never_says": {
      const found = replies.find(({ text }) => contains(text, check.text));
      return found ? quote(found.text) : null;
    }
    case "language": {
      const [language = ""] = (check.language ?? "").toLowerCase().split(/[-_]/);
      const found = replies.find(({ text }) => !mayBeInLanguage(toProse(text), language));
      return found ? quote(found.text) : null;
    }
    case "cites":
      return last.sources.some(({ title, url }) => title === check.document || url === check.document)
        ? null
        : `cited ${last.sources.map(({ title }) => title).join(", ") || "nothing"}`;
    case "asks_for_person":
      return replies.some(({ asksForPerson }) => asksForPerson) ? null : "asked for no person";
    case "refuses":
      return isRefusal(last.text) ? null : quote(last.text);
    case "max_words": {
      const longest = Math.max(...replies.map(({ text }) => countWords(text)));
      return longest <= (check.n ?? 0) ? null : `${longest} words`;
    }
    case "judge":
      return judge(check.text ?? "", replies);
  }
}

function findCall({ tool, arguments: wanted = {} }: AgentTestCheck, replies: readonly SpokenReply[]) {
  return replies.flatMap(({ calls }) => calls).find(({ name, input }) => name === tool && includes(input, wanted));
}

/** Whether a value has what is wanted. Objects may have more properties. */
function includes(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return JSON.stringify(value, inKeyOrder) === JSON.stringify(wanted, inKeyOrder);
  return isObject(value) && Object.entries(wanted).every(([name, inner]) => includes(value[name], inner));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Ignores letter case, line breaks, Markdown, typographic signs, and how numbers, times and dates are written. */
function contains(text: string, part = ""): boolean {
  const fold = (value: string) => withPlainSigns(value).toLowerCase();
  const foldWords = (value: string) => fold(withoutMarkdown(value));
  const foldNumbers = (value: string) => withPlainNumbers(foldWords(value));
  // A part such as "50.0" is in the text as it is written, and "1 250" only as a number. Some texts are about Markdown.
  return [fold, foldWords, foldNumbers].some((folded) => folded(text).includes(folded(part)));
}

/** The words of a text, without what has no language. */
export function toProse(text: string): string {
  return text.replace(/```[\s\S]*?```|`[^`]*`|https?:\/\/\S+|\S+@\S+|\d+/g, " ");
}

export function countWords(text: string): number {
  // Languages without spaces are counted by the rules of Unicode.
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

const MAX_QUOTE = 300;

function quote(text: string): string {
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE).toWellFormed()}…` : text || "no text";
}

function describeCalls(replies: readonly SpokenReply[]): string {
  const calls = replies.flatMap(({ calls: made }) => made.map(describeCall));
  return quote(calls.length === 0 ? "called no tool" : `called ${calls.join(", ")}`);
}

function describeCall({ name, input }: SpokenReply["calls"][number]): string {
  return `${name}(${JSON.stringify(input ?? {})})`;
}

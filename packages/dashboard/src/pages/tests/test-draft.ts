import type { AgentTest, AgentTestCheck, AgentTestCreate } from "@foyer/contract";
import type { CheckKind } from "@foyer/contract/rules/evaluations";
import { FoyerError } from "@foyer/sdk";
import { isObject } from "../tools/is-object.ts";
import { readJson } from "../tools/json-lines.ts";
import { type Keyed, withKey } from "../tools/row-key.ts";

/** A check while it is edited. It keeps the fields of the other kinds, so that changing the kind loses nothing. */
export type CheckDraft = Keyed<{
  kind: CheckKind;
  tool: string;
  /** a JSON object, or empty */
  arguments: string;
  text: string;
  language: string;
  document: string;
  n: number | null;
}>;

/** What a tool answers. */
export type ResultDraft = Keyed<{ tool: string; answer: string }>;

export type TestDraft = {
  name: string;
  turns: Array<Keyed<{ text: string }>>;
  checks: CheckDraft[];
  results: ResultDraft[];
};

export const emptyCheck = (): CheckDraft =>
  withKey({ kind: "says", tool: "", arguments: "", text: "", language: "en", document: "", n: 100 });

export const emptyResult = (): ResultDraft => withKey({ tool: "", answer: "" });

export const emptyTurn = () => withKey({ text: "" });

export const emptyTest = (): TestDraft => ({ name: "", turns: [emptyTurn()], checks: [emptyCheck()], results: [] });

export function toDraft({ name, turns, checks, results }: AgentTest): TestDraft {
  return {
    name,
    turns: turns.map((text) => withKey({ text })),
    checks: checks.map(toCheckDraft),
    results: Object.entries(results).map(([tool, answer]) =>
      withKey({
        tool,
        answer: typeof answer === "string" && !looksLikeJson(answer) ? answer : JSON.stringify(answer, null, 2),
      }),
    ),
  };
}

function toCheckDraft({ arguments: values, ...check }: AgentTestCheck): CheckDraft {
  const text = values ? JSON.stringify(values) : "";
  return withKey({ ...emptyCheck(), ...check, arguments: text });
}

/** @throws FoyerError with the path of each field that is not JSON */
export function toBody({ name, turns, checks, results }: TestDraft): AgentTestCreate {
  refuse([...turnProblems(turns), ...argumentProblems(checks), ...resultProblems(results)]);
  return {
    name,
    turns: turns.map(({ text }) => text),
    checks: checks.map(toCheck),
    results: Object.fromEntries(results.map(({ tool, answer }) => [tool.trim(), toAnswer(answer)])),
  };
}

/** The checks as they are sent. @throws FoyerError with the path of each field that is not JSON */
export function readCheckDrafts(checks: readonly CheckDraft[]): AgentTestCheck[] {
  refuse(argumentProblems(checks));
  return checks.map(toCheck);
}

function refuse(details: FoyerError["details"]): void {
  if (details.length > 0) throw new FoyerError("VALIDATION_ERROR", "Some fields are invalid.", { details });
}

/** A check with the fields of its kind alone. */
function toCheck({ kind, tool, arguments: values, text, language, document, n }: CheckDraft): AgentTestCheck {
  switch (kind) {
    case "tool_called":
    case "tool_not_called":
      return { kind, tool: tool.trim(), ...(values.trim() === "" ? {} : { arguments: JSON.parse(values) }) };
    case "says":
    case "never_says":
    case "judge":
      return { kind, text };
    case "language":
      return { kind, language: language.trim() };
    case "cites":
      return { kind, document: document.trim() };
    case "max_words":
      // The server rejects an empty field and says so.
      return { kind, n: n ?? 0 };
    case "asks_for_person":
    case "refuses":
      return { kind };
  }
}

function turnProblems(turns: TestDraft["turns"]): FoyerError["details"] {
  return turns.flatMap(({ text }, index) =>
    text.trim() === "" ? [{ path: `turns.${index}`, message: "must not be blank" }] : [],
  );
}

/** The problems of arguments that are not a JSON object. */
function argumentProblems(checks: readonly CheckDraft[]): FoyerError["details"] {
  return checks.flatMap(({ kind, arguments: text }, index) => {
    if ((kind !== "tool_called" && kind !== "tool_not_called") || text.trim() === "") return [];
    const path = `checks.${index}.arguments`;
    const read = readJson(text);
    if (!("lineOf" in read)) return [{ path, message: `Line ${read.line}: ${read.message}` }];
    return isObject(read.value) ? [] : [{ path, message: 'must be a JSON object, such as {"days": 2}' }];
  });
}

function resultProblems(results: readonly ResultDraft[]): FoyerError["details"] {
  const names = results.map(({ tool }) => tool.trim());
  return results.flatMap(({ answer }, index) => {
    const name = names[index] ?? "";
    if (name === "") return [{ path: `results.${index}.tool`, message: "must not be blank" }];
    if (names.indexOf(name) !== index) return [{ path: `results.${index}.tool`, message: "is listed twice" }];
    if (!looksLikeJson(answer)) return [];
    const read = readJson(answer);
    if ("lineOf" in read) return [];
    return [{ path: `results.${index}.answer`, message: `Line ${read.line}: ${read.message}` }];
  });
}

/**
 * An object, a list, a number, a text in quotes, `true`, `false` and `null` are JSON, and anything else is a text. A
 * stored text that looks like one of these is shown in quotes, so that saving does not change its type.
 */
const looksLikeJson = (text: string) =>
  /^\s*(?:[[{]|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|".*")\s*$)/s.test(text);

const toAnswer = (text: string): unknown => (looksLikeJson(text) ? JSON.parse(text) : text);

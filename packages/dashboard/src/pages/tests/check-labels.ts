import type { AgentTestCheck } from "@foyer/contract";
import type { CheckKind } from "@foyer/contract/rules/evaluations";
import { findLanguage } from "../../components/languages.ts";
import { toolTitle } from "../../components/tool-title.ts";

type KindLabel = {
  name: string;
  /** When the check passes, and which replies it looks at. */
  line: string;
};

/** The kinds of checks in the order in which they are offered. */
export const checkLabels: Record<CheckKind, KindLabel> = {
  says: { name: "Says", line: "The last reply contains this text, in any letter case." },
  never_says: { name: "Never says", line: "No reply contains this text, in any letter case." },
  tool_called: {
    name: "Calls a tool",
    line: "Any reply calls the tool with these arguments. The call may have others too.",
  },
  tool_not_called: {
    name: "Does not call a tool",
    line: "No reply calls the tool, or none calls it with these arguments.",
  },
  language: {
    name: "Language",
    line: "Every reply may be in this language. Texts of fewer than 40 characters are not judged.",
  },
  cites: { name: "Cites a document", line: "The last reply cites the document." },
  asks_for_person: { name: "Asks for a person", line: "Any reply asks for a person of your team." },
  refuses: { name: "Declines", line: "The last reply declines the request." },
  max_words: { name: "At most n words", line: "No reply is longer." },
  judge: {
    name: "Judged by the model",
    line: "The agent's model judges whether the replies do this. It costs a call and can be wrong, so prefer another check.",
  },
};

/** A check in one line, such as `Says “9 am”`. */
export function describeCheck(check: AgentTestCheck): string {
  const { kind, tool = "", arguments: values, text = "", language = "", document = "", n = 0 } = check;
  const withArguments = values && Object.keys(values).length > 0 ? ` with ${JSON.stringify(values)}` : "";
  switch (kind) {
    case "says":
      return `Says “${text}”`;
    case "never_says":
      return `Never says “${text}”`;
    case "tool_called":
      return `Calls ${toolTitle(tool)}${withArguments}`;
    case "tool_not_called":
      return `Does not call ${toolTitle(tool)}${withArguments}`;
    case "language":
      return `Replies in ${findLanguage(language)}`;
    case "cites":
      return `Cites “${document}”`;
    case "asks_for_person":
      return "Asks for a person";
    case "refuses":
      return "Declines";
    case "max_words":
      return `At most ${n.toLocaleString()} ${n === 1 ? "word" : "words"}`;
    case "judge":
      return `Judged by the model: ${text}`;
  }
}

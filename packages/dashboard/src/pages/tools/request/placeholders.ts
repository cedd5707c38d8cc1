import { boundNames } from "@foyer/contract/rules/url-template";
import type { Option } from "../../../components/option-list.tsx";

const boundHints: Record<(typeof boundNames)[number], string> = {
  "visitor.id": "The verified visitor's id on your site",
  "visitor.email": "The verified visitor's email address",
  "visitor.name": "The verified visitor's name",
  "visitor.claims.": "A claim of the verified visitor, such as visitor.claims.plan",
  "conversation.id": "The id of the conversation",
  "page.url": "The page that the visitor is on. It comes from the browser and can be forged.",
};

/**
 * The placeholders that a tool's request can contain: its inputs, the values that the server fills in, and the secrets.
 */
export function placeholderOptions({
  inputs,
  secrets,
}: {
  inputs: ReadonlyArray<{ name: string }>;
  secrets: ReadonlyArray<{ name: string; hosts: readonly string[] }>;
}): Option[] {
  return [
    ...inputs.filter(({ name }) => name !== "").map(({ name }) => ({ value: `{${name}}`, hint: "Input of the tool" })),
    ...boundNames.map((name) => ({ value: `{{${name}}}`, hint: boundHints[name] })),
    ...secrets.map(({ name, hosts }) => ({
      value: `{{${name}}}`,
      hint: hosts.length > 0 ? `Secret for ${hosts.join(", ")}` : "Secret for any host",
    })),
  ];
}

/** A placeholder that is being typed: its position in the text, and the part of its name before the caret. */
export type OpenPlaceholder = { start: number; end: number; braces: string; written: string };

/** The placeholder around the caret, or null. JSON allows placeholders only within strings. */
export function openPlaceholderAt(text: string, caret: number, isJson: boolean): OpenPlaceholder | null {
  const match = /(\{\{?)[ \t]*([\p{L}\p{N}_$.-]*)$/u.exec(text.slice(0, caret));
  if (!match) return null;
  const [, braces = "", written = ""] = match;
  if (isJson && !isInString(text.slice(0, match.index))) return null;
  const rest = braces === "{" ? /^[\p{L}\p{N}_$.-]*\}?/u : /^[\p{L}\p{N}_$.-]*[ \t]*\}{0,2}/u;
  const end = caret + (rest.exec(text.slice(caret))?.[0].length ?? 0);
  return { start: match.index, end, braces, written };
}

/** The options that the typed part of a placeholder matches. */
export function filterOptions(options: readonly Option[], { braces, written }: OpenPlaceholder): Option[] {
  const typed = written.toLowerCase();
  return options.filter(({ value }) => value.startsWith(braces) && value.toLowerCase().includes(typed));
}

/**
 * The text with a placeholder inserted, and the new position of the caret: after it, or where the name of a claim is
 * missing. In JSON, a placeholder outside of a string is quoted.
 */
export function insertPlaceholder(
  text: string,
  placeholder: string,
  { start, end, isJson }: { start: number; end: number; isJson: boolean },
): { text: string; caret: number } {
  const before = text.slice(0, start);
  const quote = isJson && !isInString(before) ? '"' : "";
  const isOpen = placeholder.endsWith(".}}");
  const caret = start + quote.length + placeholder.length + (isOpen ? -2 : quote.length);
  return { text: before + quote + placeholder + quote + text.slice(end), caret };
}

/** Whether text that follows this beginning of JSON would be within a string. */
function isInString(json: string): boolean {
  const quotes = json.replace(/\\./gs, "").match(/"/g);
  return (quotes?.length ?? 0) % 2 === 1;
}

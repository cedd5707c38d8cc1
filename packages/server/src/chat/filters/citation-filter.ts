import { citationPattern } from "../../conversations/sources.ts";

/** The end of a text that may be the start of a citation: at most 16 characters are held back. */
const openCitation = / ?\[[\d, ]{0,14}$| $/;

const citationAfterSpace = new RegExp(` ?${citationPattern.source}`, "g");

/**
 * Removes citations of numbers that the model made up from streamed text, even when they are split between deltas. Code
 * between backticks is left alone, because `[0]` is an index there.
 * @param isKnown whether a passage with this number exists and may be shown
 */
export function createCitationFilter(isKnown: (n: number) => boolean) {
  let held = "";
  let isInCode = false;

  function clean(text: string): string {
    return text
      .split(/(`+)/)
      .map((part) => {
        if (part.startsWith("`")) isInCode = !isInCode;
        return isInCode ? part : part.replace(citationAfterSpace, keepKnown);
      })
      .join("");
  }

  function keepKnown(citation: string, numbers: string): string {
    const knownNumbers = numbers
      .split(",")
      .map(Number)
      .filter((n) => isKnown(n));
    if (knownNumbers.length === 0) return "";
    return `${citation.startsWith(" ") ? " " : ""}[${knownNumbers.join(", ")}]`;
  }

  return {
    /** @returns the text that can be shown now */
    push(text: string): string {
      const all = held + text;
      const from = openCitation.exec(all)?.index ?? all.length;
      held = all.slice(from);
      return clean(all.slice(0, from));
    },
    /** Ends the text. @returns the text that was held back */
    flush(): string {
      const rest = held;
      held = "";
      return clean(rest);
    },
  };
}

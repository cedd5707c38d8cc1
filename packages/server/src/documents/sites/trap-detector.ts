import type { LinksResult } from "../extract/site-protocol.ts";

/** The number of pages of one kind that repeat the words of others before the links between them are ignored. */
const MAX_REPEATS = 100;

export const TRAP_REASON = `More than ${MAX_REPEATS} pages differ from others only in numbers, as the pages of a calendar do. Links between such pages are not followed further.`;

/**
 * Recognizes addresses without end, such as the months of a calendar and the pages after the last one of a list: their
 * addresses and their texts differ only in numbers, and each links to the next. Articles with numbers in their addresses
 * have different words, and are also linked from other pages.
 */
export function createTrapDetector() {
  const kinds = new Map<string, { words: Set<string>; repeats: number }>();
  return {
    /** Divides the links of a page into those that are followed and those that lead further into a trap. */
    divideLinks(url: string, { allowed, wordsHash }: Pick<LinksResult, "allowed" | "wordsHash">) {
      const kind = maskNumbers(url);
      const { words, repeats } = kinds.get(kind) ?? { words: new Set<string>(), repeats: 0 };
      kinds.set(kind, { words, repeats: words.has(wordsHash) ? repeats + 1 : repeats });
      words.add(wordsHash);
      if (repeats < MAX_REPEATS) return { followed: allowed, trapped: [] };
      const { followed = [], trapped = [] } = Object.groupBy(allowed, (link) =>
        maskNumbers(link) === kind ? "trapped" : "followed",
      );
      return { followed, trapped };
    },
  };
}

/** An address without its numbers. Values of the query count as numbers if they contain any. */
function maskNumbers(address: string): string {
  const { pathname, searchParams } = new URL(address);
  const query = [...searchParams].map(([name, value]) => `${name}=${/\d/.test(value) ? "0" : value}`);
  return `${pathname.replace(/\d+/g, "0")}?${query.sort().join("&")}`;
}

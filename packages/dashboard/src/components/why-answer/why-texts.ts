import type { ReplySearch } from "@foyer/contract";

/** Summarizes the outcome of a reply's searches: "2 of 6 passages cited". */
export function describeOutcome(searches: readonly ReplySearch[]): string {
  if (searches.every(({ isError }) => isError)) return "The search failed";
  const cited = new Set(
    searches.flatMap(({ passages }) => passages.filter(({ isCited }) => isCited).map(({ n }) => n)),
  );
  const received = searches.some(({ kind }) => kind === "prompt")
    ? searches.reduce((sum, { total }) => sum + total, 0)
    : new Set(searches.flatMap(({ passages }) => passages.map(({ n }) => n))).size;
  if (received === 0) return "Nothing found";
  return `${cited.size} of ${received === 1 ? "1 passage" : `${received} passages`} cited`;
}

/** Describes a search's result and duration. */
export function describeSearch({ kind, isError, ms, total }: ReplySearch): string {
  if (kind === "prompt") {
    const all = total === 1 ? "one passage" : `all ${total} passages`;
    return `The documents are short, so the model received ${all} without a search.`;
  }
  if (isError) return "The search failed, so the model received no passages. It searched for:";
  const found = total === 0 ? "found nothing" : `found ${total === 1 ? "1 passage" : `${total} passages`}`;
  return `The search ${found}${ms === null ? "" : ` in ${Math.max(1, ms)} ms`} for:`;
}

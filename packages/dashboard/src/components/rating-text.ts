/** What a visitor's rating of a whole conversation is called. The score is 1 to 5. */
export function ratingText(score: number): string {
  return `Rated ${score} of 5`;
}

const list = new Intl.ListFormat("en", { type: "disjunction" });

/** The `rating` filter of conversations in words: `any`, `none`, or scores that are separated by commas. */
export function ratingFilterText(filter: string): string {
  if (filter === "any") return "Rated";
  if (filter === "none") return "Not rated";
  return `Rated ${list.format([...new Set(filter.split(","))].sort())} of 5`;
}

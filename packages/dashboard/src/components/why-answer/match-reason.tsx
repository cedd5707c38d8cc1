type Match = { matched: readonly string[]; score: number; matchedBy?: "words" | "meaning" | "both" };

/** Why a search found a passage: its meaning, the words of the question that it contains, and how well it matches. */
export function MatchReason({ matched, score, matchedBy = "words" }: Match) {
  const reasons = [
    ...(matchedBy === "meaning" ? ["found by meaning"] : []),
    ...(matchedBy === "both" ? ["found by words and meaning"] : []),
    ...(matched.length > 0 ? [`matches ${matched.join(", ")}`] : []),
    `score ${score.toFixed(2)}`,
  ];
  return <p className="text-sm break-words text-soft tabular-nums first-letter:uppercase">{reasons.join(" · ")}</p>;
}

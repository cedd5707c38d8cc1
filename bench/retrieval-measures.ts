/** The result for one question: documents, best first, and the best score. */
export type Answer = { relevant: ReadonlyMap<string, number> | null; documents: string[]; score: number };

export type Measures = {
  ndcg10: number;
  recall5: number;
  hit5: number;
  /**
   * how often a question with an answer scores higher than a question without one; null if there are no questions
   * without an answer
   */
  answerable: number | null;
};

export function measureAnswers(answers: readonly Answer[]): Measures {
  const answerable = answers.flatMap(({ relevant, ...rest }) => (relevant === null ? [] : [{ relevant, ...rest }]));
  const mean = (value: (answer: (typeof answerable)[number]) => number) =>
    answerable.reduce((sum, answer) => sum + value(answer), 0) / Math.max(1, answerable.length);
  const found5 = ({ relevant, documents }: (typeof answerable)[number]) =>
    documents.slice(0, 5).filter((id) => relevant.has(id)).length;
  const unanswerable = answers.filter(({ relevant }) => relevant === null).map(({ score }) => score);
  return {
    ndcg10: mean(
      ({ relevant, documents }) => cumulativeGain(documents.map((id) => relevant.get(id) ?? 0)) / ideal(relevant),
    ),
    recall5: mean((answer) => found5(answer) / answer.relevant.size),
    hit5: mean((answer) => (found5(answer) > 0 ? 1 : 0)),
    answerable:
      unanswerable.length > 0
        ? areaUnderCurve(
            answerable.map(({ score }) => score),
            unanswerable,
          )
        : null,
  };
}

function cumulativeGain(grades: readonly number[]): number {
  return grades.slice(0, 10).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
}

const ideal = (relevant: ReadonlyMap<string, number>) =>
  cumulativeGain([...relevant.values()].sort((a, b) => b - a)) || 1;

/** The probability that one of `higher` is above one of `lower`. Ties count half. */
function areaUnderCurve(higher: readonly number[], lower: readonly number[]): number {
  const all = [...higher.map((score) => ({ score, is: 1 })), ...lower.map((score) => ({ score, is: 0 }))];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end]?.score === all[start]?.score) end++;
    for (let i = start; i < end; i++) if (all[i]?.is === 1) ranks += (start + 1 + end) / 2;
    start = end;
  }
  return (ranks - (higher.length * (higher.length + 1)) / 2) / (higher.length * lower.length);
}

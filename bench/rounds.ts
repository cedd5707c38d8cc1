/** The two sides of the ratio; `subject` is ours. */
export type Sides<T> = { subject: T; baseline: T };

export const ROUNDS = 5;

/**
 * Measures both sides alternately, so that other load on the machine affects both equally. A first round is discarded
 * as warm-up.
 */
export async function alternate<T>(measure: Sides<() => Promise<T>>, rounds = ROUNDS): Promise<Sides<T[]>> {
  const results: Sides<T[]> = { subject: [], baseline: [] };
  for (let round = 0; round <= rounds; round++) {
    const subject = await measure.subject();
    const baseline = await measure.baseline();
    if (round === 0) continue;
    results.subject.push(subject);
    results.baseline.push(baseline);
  }
  return results;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * The smallest value that at least this share of the values do not exceed. The median of an even number of values is
 * the lower middle one.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("Nothing was measured.");
  return value;
}

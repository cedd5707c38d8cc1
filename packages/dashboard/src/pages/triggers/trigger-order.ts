type Placed = { id: string; priority: number };

const LIMIT = 1_000_000_000;

/**
 * The smallest set of priority changes that puts triggers into the given order. Lower priorities run first, and equal
 * priorities are ordered by id. The longest subsequence that is already in order, with enough room between its
 * priorities, keeps its values.
 */
export function changesForOrder(wanted: readonly Placed[]): Placed[] {
  const kept = findLongestOrderedSubsequence(wanted);
  const changes: Placed[] = [];
  for (let index = 0; index <= kept.length; index++) {
    const [before, after] = [kept[index - 1] ?? -1, kept[index] ?? wanted.length];
    const between = wanted.slice(before + 1, after);
    const [low, high] = [wanted[before]?.priority, wanted[after]?.priority];
    between.forEach(({ id }, step) => {
      changes.push({ id, priority: priorityAt({ low, high, step: step + 1, count: between.length }) });
    });
  }
  return changes;
}

/** The positions that keep their priorities. Quadratic time, but an agent has at most 200 triggers. */
function findLongestOrderedSubsequence(wanted: readonly Placed[]): number[] {
  const rows: number[][] = [];
  wanted.forEach((_, at) => {
    let best: number[] = [];
    for (let before = 0; before < at; before++) {
      const row = rows[before] ?? [];
      if (row.length > best.length && canKeepBoth(wanted, before, at)) best = row;
    }
    rows.push([...best, at]);
  });
  return rows.reduce((longest, row) => (row.length > longest.length ? row : longest), []);
}

/** Whether two triggers can both keep their priorities, with enough integers left for those between them. */
function canKeepBoth(wanted: readonly Placed[], before: number, at: number): boolean {
  const [one, other] = [wanted[before], wanted[at]];
  if (!one || !other) return false;
  const isNext = at === before + 1;
  if (isNext && one.priority === other.priority) return one.id < other.id;
  return isNext ? one.priority < other.priority : Math.floor(other.priority) - Math.ceil(one.priority) >= at - before;
}

function priorityAt({
  low,
  high,
  step,
  count,
}: {
  low: number | undefined;
  high: number | undefined;
  step: number;
  count: number;
}): number {
  if (low === undefined && high === undefined) return step;
  if (low === undefined) return Math.max(-LIMIT, Math.floor(high ?? 0) - (count + 1 - step));
  if (high === undefined) return Math.min(LIMIT, Math.ceil(low) + step);
  const room = Math.floor(high) - Math.ceil(low);
  return Math.ceil(low) + Math.floor((room * step) / (count + 1));
}

/** Lines that both texts have, or that only the first or only the second one has. */
export type DiffPart = { kind: "same" | "removed" | "added"; lines: string[] };

/** Above this number of pairs of lines, comparing them would hold up the page. */
const MAX_PAIRS = 4_000_000;

/** Compares two texts line by line. Adjacent lines of one kind are one part. */
export function diffLines(from: string, to: string): DiffPart[] {
  const [before, after] = [from.split("\n"), to.split("\n")];
  const start = countSame(before, after);
  const end = countSame(before.slice(start).reverse(), after.slice(start).reverse());
  const [old, current] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return join([
    { kind: "same", lines: before.slice(0, start) },
    ...(old.length * current.length > MAX_PAIRS ? replaceAll(old, current) : diffMiddle(old, current)),
    { kind: "same", lines: before.slice(before.length - end) },
  ]);
}

/** How many lines at the start are the same. */
function countSame(before: readonly string[], after: readonly string[]): number {
  const at = before.findIndex((line, index) => line !== after[index]);
  return at === -1 ? before.length : at;
}

const replaceAll = (old: string[], current: string[]): DiffPart[] => [
  { kind: "removed", lines: old },
  { kind: "added", lines: current },
];

/** Keeps the longest common subsequence of lines. */
function diffMiddle(old: string[], current: string[]): DiffPart[] {
  // lengths[i][j] is the length of that sequence of the lines from i and from j on.
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(current.length + 1));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    const row = lengths[i];
    if (!row) continue;
    for (let j = current.length - 1; j >= 0; j--) {
      row[j] = old[i] === current[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < current.length) {
    const [line, newLine] = [old[i], current[j]];
    if (line !== undefined && line === newLine) {
      parts.push({ kind: "same", lines: [line] });
      i++;
      j++;
    } else if (line !== undefined && (newLine === undefined || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      parts.push({ kind: "removed", lines: [line] });
      i++;
    } else if (newLine !== undefined) {
      parts.push({ kind: "added", lines: [newLine] });
      j++;
    }
  }
  return parts;
}

function join(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const { kind, lines } of parts) {
    if (lines.length === 0) continue;
    const last = joined.at(-1);
    if (last?.kind === kind) last.lines.push(...lines);
    else joined.push({ kind, lines: [...lines] });
  }
  return joined;
}

/** Shortens the lines that both texts have to `context` lines beside a change. A gap is `null`. */
export function withoutDistantLines(parts: readonly DiffPart[], context = 2): Array<DiffPart | null> {
  return parts.flatMap((part, index) => {
    if (part.kind !== "same") return [part];
    const head = index === 0 ? 0 : context;
    const tail = index === parts.length - 1 ? 0 : context;
    if (part.lines.length <= head + tail + 1) return [part];
    return [
      ...(head > 0 ? [{ ...part, lines: part.lines.slice(0, head) }] : []),
      null,
      ...(tail > 0 ? [{ ...part, lines: part.lines.slice(-tail) }] : []),
    ];
  });
}

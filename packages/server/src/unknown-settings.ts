/** The commands for agents as files read these, often from the same file as the server. */
const namesOfCommands: ReadonlySet<string> = new Set(["FOYER_URL", "FOYER_KEY"]);

/** A variable that the server does not read, and the known names that it may stand for. */
export type UnknownSetting = { name: string; suggestions: string[] };

/** Finds the variables whose names begin with `FOYER_` although no setting has that name. Empty values count as unset. */
export function findUnknownSettings(
  environment: Record<string, string | undefined>,
  knownNames: ReadonlySet<string>,
): UnknownSetting[] {
  return Object.keys(environment)
    .filter(
      (name) =>
        name.startsWith("FOYER_") && environment[name]?.trim() && !knownNames.has(name) && !namesOfCommands.has(name),
    )
    .map((name) => ({ name, suggestions: findNearest(name, [...knownNames]) }));
}

/** The names that continue the given one, or otherwise the one that needs the fewest edits. */
function findNearest(name: string, knownNames: readonly string[]): string[] {
  const longer = knownNames.filter((known) => known.startsWith(`${name}_`));
  if (longer.length > 0) return longer;
  const distances = knownNames.map((known) => ({ known, distance: countEdits(name, known) }));
  const nearest = distances.reduce((a, b) => (b.distance < a.distance ? b : a), { known: "", distance: Infinity });
  return nearest.known ? [nearest.known] : [];
}

/** The Levenshtein distance. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

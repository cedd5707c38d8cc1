export const nulMessage = "must not have NUL characters";

/** The path of the first string or name that contains NUL, which PostgreSQL cannot store; null when there is none. */
export function findNulPath(value: unknown, path = ""): string | null {
  if (typeof value === "string") return value.includes("\0") ? path : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const childPath = path ? `${path}.${name}` : name;
    const found = name.includes("\0") ? childPath : findNulPath(child, childPath);
    if (found !== null) return found;
  }
  return null;
}

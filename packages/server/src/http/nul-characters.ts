export const nulMessage = "must not contain NUL characters";

/**
 * Returns the path of the first string or property name that contains NUL, which PostgreSQL cannot store, or null if
 * there is none.
 */
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

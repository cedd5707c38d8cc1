type Visitor = {
  id: string;
  email: string | null;
  name: string | null;
  claims: Record<string, unknown>;
};

/** A name in a path: anything but a dot, braces, white space and quotes. */
const claimName = /^[^\s.{}"'`]+$/u;

/** Names of objects that a path could reach by accident in other languages; refused to keep paths portable. */
const refused = new Set(["__proto__", "constructor", "prototype"]);

/**
 * The full spelling of a path to a fact about a visitor: `id`, `email`, `name` or `claims.<path>`. Any other name is
 * treated as a claim. Null for an invalid path.
 */
export function normalizeFactPath(path: string): string | null {
  if (path === "id" || path === "email" || path === "name") return path;
  const [first, ...rest] = path.split(".");
  const names = first === "claims" && rest.length > 0 ? rest : path.split(".");
  const isPath = names.every((name) => claimName.test(name) && !refused.has(name));
  return isPath ? ["claims", ...names].join(".") : null;
}

/** The fact at a path in full spelling, or null when the visitor has none. Only own properties count. */
export function readFact(visitor: Visitor, path: string): unknown {
  if (path === "id" || path === "email" || path === "name") return visitor[path];
  let value: unknown = visitor.claims;
  for (const name of path.split(".").slice(1)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value ?? null;
}

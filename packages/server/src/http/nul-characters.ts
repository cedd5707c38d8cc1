import { type AppError, invalid } from "../errors.ts";

/** 400 for the first text or name with a NUL in it, which PostgreSQL cannot keep; null when there is none. */
export function nulProblem(value: unknown): AppError | null {
  const path = pathOfNul(value, "");
  return path === null ? null : invalid(path, "must not have NUL characters");
}

function pathOfNul(value: unknown, path: string): string | null {
  if (typeof value === "string") return value.includes("\0") ? path : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const childPath = path ? `${path}.${name}` : name;
    const found = name.includes("\0") ? childPath : pathOfNul(child, childPath);
    if (found !== null) return found;
  }
  return null;
}

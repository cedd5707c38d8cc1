import { lookUp } from "@foyer/contract/rules/fill-display";
import { isObject } from "../is-object.ts";

/** A field of a result that can be mapped to a slot. `sample` is its value, shortened. */
export type ResultPath = { path: string; sample: string; isList: boolean };

const maxPaths = 100;
const maxDepth = 6;

/** Every field of a result by its dotted path, outermost first. Of a list, only the first entry is searched. */
export function listPaths(result: unknown): ResultPath[] {
  const found: ResultPath[] = [];
  const open: Array<{ value: unknown; path: string; depth: number }> = [{ value: result, path: "", depth: 0 }];
  for (let next = open.shift(); next && found.length < maxPaths; next = open.shift()) {
    const { value, path, depth } = next;
    if (path !== "") found.push({ path, sample: sampleText(value), isList: Array.isArray(value) });
    if (depth >= maxDepth) continue;
    const inner = Array.isArray(value)
      ? Object.entries(value.slice(0, 1))
      : isObject(value)
        ? Object.entries(value)
        : [];
    for (const [name, part] of inner) {
      // A name that contains a dot cannot be addressed by a path.
      if (name !== "" && !name.includes("."))
        open.push({ value: part, path: path === "" ? name : `${path}.${name}`, depth: depth + 1 });
    }
  }
  return found;
}

/** The fields that the entries of a list have, relative to an entry. */
export function listPathsWithin(result: unknown, listPath: string): ResultPath[] {
  const list = [lookUp(result, listPath), result].find((value) => Array.isArray(value));
  return Array.isArray(list) ? listPaths(list[0]) : [];
}

function sampleText(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (isObject(value)) return "object";
  const text = String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

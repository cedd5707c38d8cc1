import { isObject } from "../is-object.ts";

/** A field of a result that can be mapped; `sample` is what stands there, in a few words. */
export type ResultPath = { path: string; sample: string; isList: boolean };

const maxPaths = 100;
const maxDepth = 6;

/** The result that a mock gives, or a test run told of: JSON where it is an object or a list, else the text. */
export function readResult(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every field of a result by its dotted path, outer ones first. Of a list its first entries only, by their position. */
export function pathsOf(result: unknown): ResultPath[] {
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
      // A name with a dot in it cannot be reached by a path.
      if (name !== "" && !name.includes("."))
        open.push({ value: part, path: path === "" ? name : `${path}.${name}`, depth: depth + 1 });
    }
  }
  return found;
}

/** The fields of the entries of a list, as the slots of a card in it want them. */
export function pathsWithin(result: unknown, listPath: string): ResultPath[] {
  const list = [lookUp(result, listPath), result].find((value) => Array.isArray(value));
  return Array.isArray(list) ? pathsOf(list[0]) : [];
}

/** A field by its dotted path, as the server looks it up. */
export function lookUp(data: unknown, path: string): unknown {
  let value = data;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) ? !/^\d+$/.test(part) : !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function sampleText(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (isObject(value)) return "object";
  const text = String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

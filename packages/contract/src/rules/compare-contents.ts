import { inKeyOrder } from "./in-key-order.ts";

/** A setting that differs, such as `tools.stock.description`. A value that a side does not have is `null`. */
export type ContentChange = { path: string; from: unknown; to: unknown };

export type Named = ReadonlyArray<object & { name: string }>;
type Comparable = { agent: object; tools: Named; triggers: Named };

/**
 * The settings that differ between two states of an agent, by path. Tools and triggers are compared by name, and one that only one side has is a
 * single change. Lists, forms and schemas are compared as a whole, except for the fields of objects.
 */
export function compareContents(from: Comparable, to: Comparable): ContentChange[] {
  return [
    ...compareObjects("agent", from.agent, to.agent),
    ...compareNamed("tools", from.tools, to.tools),
    ...compareNamed("triggers", from.triggers, to.triggers),
  ];
}

function compareNamed(path: string, from: Named, to: Named): ContentChange[] {
  const before = withUniqueNames(from);
  const after = withUniqueNames(to);
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((name) => {
    const [old, current] = [before.get(name), after.get(name)];
    const itemPath = `${path}.${name}`;
    return old && current ? compareObjects(itemPath, old, current) : toChange(itemPath, old, current);
  });
}

/** The maximum length of a trigger's name. */
const MAX_NAME = 200;

/** The items by name. Several triggers can have the same name: the second one is called `name (2)`. */
export function withUniqueNames<Item extends { name: string }>(items: readonly Item[]): Map<string, Item> {
  const named = new Map<string, Item>();
  for (const item of items) {
    let name = item.name;
    for (let n = 2; named.has(name); n++) {
      const suffix = ` (${n})`;
      name = item.name.slice(0, MAX_NAME - suffix.length) + suffix;
    }
    named.set(name, item);
  }
  return named;
}

/** The fields that differ, by path. */
export function compareObjects(path: string, from: object, to: object): ContentChange[] {
  const before = new Map<string, unknown>(Object.entries(from));
  const after = new Map<string, unknown>(Object.entries(to));
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((key) => {
    const [old, current] = [before.get(key), after.get(key)];
    const fieldPath = path === "" ? key : `${path}.${key}`;
    return isObject(old) && isObject(current)
      ? compareObjects(fieldPath, old, current)
      : toChange(fieldPath, old, current);
  });
}

function toChange(path: string, from: unknown, to: unknown): ContentChange[] {
  if (JSON.stringify(from, inKeyOrder) === JSON.stringify(to, inKeyOrder)) return [];
  return [{ path, from: from ?? null, to: to ?? null }];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

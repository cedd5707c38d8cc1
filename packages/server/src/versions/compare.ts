import type { AgentContent, VersionChange } from "@foyer/contract";
import { inKeyOrder } from "../in-key-order.ts";

/**
 * The settings that differ, by path. Tools and triggers are compared by name, and one that only one side has is a
 * single change. Lists, forms and schemas are compared as a whole, except for the fields of objects.
 */
export function compareContents(from: AgentContent, to: AgentContent): VersionChange[] {
  return [
    ...compareObjects("agent", from.agent, to.agent),
    ...compareNamed("tools", from.tools, to.tools),
    ...compareNamed("triggers", from.triggers, to.triggers),
  ];
}

type Named = ReadonlyArray<Record<string, unknown> & { name: string }>;

function compareNamed(path: string, from: Named, to: Named): VersionChange[] {
  const before = byUniqueName(from);
  const after = byUniqueName(to);
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((name) => {
    const [old, current] = [before.get(name), after.get(name)];
    const itemPath = `${path}.${name}`;
    return old && current ? compareObjects(itemPath, old, current) : toChange(itemPath, old, current);
  });
}

/** Several triggers can have the same name: the second one is called `name (2)`. */
function byUniqueName(items: Named) {
  const named = new Map<string, Record<string, unknown>>();
  for (const item of items) {
    let name = item.name;
    for (let n = 2; named.has(name); n++) name = `${item.name} (${n})`;
    named.set(name, item);
  }
  return named;
}

function compareObjects(path: string, from: Record<string, unknown>, to: Record<string, unknown>): VersionChange[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted().flatMap((key) => {
    const [old, current] = [from[key], to[key]];
    const fieldPath = `${path}.${key}`;
    return isObject(old) && isObject(current)
      ? compareObjects(fieldPath, old, current)
      : toChange(fieldPath, old, current);
  });
}

function toChange(path: string, from: unknown, to: unknown): VersionChange[] {
  if (JSON.stringify(from, inKeyOrder) === JSON.stringify(to, inKeyOrder)) return [];
  return [{ path, from: from ?? null, to: to ?? null }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

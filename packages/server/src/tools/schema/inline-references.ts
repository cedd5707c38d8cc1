import { invalid } from "../../errors.ts";
import { dataKeywords, nameKeywords } from "./schema-keywords.ts";

/** A reference to a named part of the same schema, as generators write it. */
export const localReference = /^#\/(?:\$defs|definitions)\/([^/#]+)$/;
/** Parts that refer to others several times would multiply. */
const MAX_OBJECTS = 5_000;

/**
 * Writes out the parts of `$defs` where the schema refers to them, because not every provider knows references.
 * @throws AppError 400 for a reference to nothing or to itself
 */
export function inlineReferences(schema: unknown): unknown {
  if (!isObject(schema) || !(isObject(schema.$defs) || isObject(schema.definitions))) return schema;
  const { $defs, definitions, ...root } = schema;
  const parts = new Map(Object.entries({ ...(definitions as object), ...($defs as object) }));
  let objects = 0;

  function write(value: unknown, { open, isNames }: { open: readonly string[]; isNames: boolean }): unknown {
    if (Array.isArray(value)) return value.map((item) => write(item, { open, isNames }));
    if (!isObject(value)) return value;
    objects += 1;
    if (objects > MAX_OBJECTS)
      throw invalid("inputSchema", "is too large with its references written out", "max_items");
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
      if (!isNames && dataKeywords.has(key)) return [key, item];
      return [key, write(item, { open, isNames: !isNames && nameKeywords.has(key) })];
    });
    const written: Record<string, unknown> = Object.fromEntries(entries);
    if (isNames || typeof value.$ref !== "string") return written;
    const { $ref, ...more } = written;
    const name = readName(String($ref));
    if (name === null || !parts.has(name))
      throw invalid("inputSchema", `refers to ${$ref}, which does not exist`, "unknown_reference");
    if (open.includes(name))
      throw invalid("inputSchema", `refers to ${$ref} within itself. Write out its levels`, "not_allowed");
    const part = write(parts.get(name), { open: [...open, name], isNames: false });
    return isObject(part) ? { ...part, ...more } : part;
  }
  return write(root, { open: [], isNames: false });
}

/** The name of the part that is referred to, or null when its characters are not encoded as in a URL. */
function readName(reference: string): string | null {
  try {
    const name = decodeURIComponent(localReference.exec(reference)?.[1] ?? "");
    return name.replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

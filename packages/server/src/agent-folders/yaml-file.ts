import { readFileSync, statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit, type YAMLMap } from "yaml";

const MAX_BYTES = 2 * 1024 * 1024;

/** A file that was read. `lineOf` returns the line of a field, or of the nearest one around it. */
export type YamlFile = { path: string; value: Record<string, unknown>; lineOf(field: readonly string[]): number };

/** A problem of a file, for the person who wrote it. */
export class FileError extends Error {
  /** @param line counts from 1 */
  constructor(path: string, line: number, message: string) {
    super(`${path}:${line}: ${message}`);
  }
}

/** @throws FileError when the file is not an object of plain values */
export function readYaml(path: string): YamlFile {
  const { document, lines } = parse(path, readText(path));
  return {
    path,
    value: toObject(document),
    lineOf: (field) => lines.linePos(findOffset(document, field)).line,
  };
}

/** @throws FileError for a file that is too large to be written by hand */
export function readText(path: string): string {
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new FileError(path, 1, `must have at most ${MAX_BYTES / 1024 / 1024} MiB`);
  // Git on Windows checks files out with other line breaks.
  return readFileSync(path, "utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
}

/** A new file with this value. */
export function toYaml(value: Record<string, unknown>): string {
  const text = new Document(value).toString({ lineWidth: 0 });
  if (isDeepStrictEqual(parseDocument(text).toJS(), value)) return text;
  // Some texts do not survive as plain or block scalars, such as those with other kinds of line breaks.
  return new Document(value).toString({ lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" });
}

/** The text of a file with another value. Comments, and the order of what stays, are kept. */
export function updateYaml(path: string, value: Record<string, unknown>): string {
  const text = readText(path);
  const { document } = parse(path, text);
  if (isDeepStrictEqual(toObject(document), value)) return text;
  if (!isMap(document.contents)) return toYaml(value);
  updateMap(document, document.contents, value);
  const updated = document.toString({ lineWidth: 0 });
  return isDeepStrictEqual(parseDocument(updated).toJS(), value) ? updated : toYaml(value);
}

function updateMap(document: Document, map: YAMLMap, value: Record<string, unknown>): void {
  for (const { key } of [...map.items]) {
    const name = String(isScalar(key) ? key.value : key);
    if (!Object.hasOwn(value, name)) map.delete(key);
  }
  for (const [name, item] of Object.entries(value)) {
    const current = map.get(name, true);
    const old: unknown = isNode(current) ? current.toJS(document) : undefined;
    if (map.has(name) && isDeepStrictEqual(old, item)) continue;
    if (isMap(current) && isObject(item)) updateMap(document, current, item);
    else if (isScalar(current) && !isCollection(item)) current.value = item;
    else map.set(name, document.createNode(item));
  }
}

function parse(path: string, text: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new FileError(path, lines.linePos(problem.pos[0]).line, problem.message);
  visit(document, {
    // An alias can refer to what contains it, or stand for a billion values.
    Alias(_, { source, range }) {
      throw new FileError(path, lines.linePos(range?.[0] ?? 0).line, `write the value of *${source} out`);
    },
    Scalar(_, { value, range }) {
      const isPlain = value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
      if (!isPlain) throw new FileError(path, lines.linePos(range?.[0] ?? 0).line, "must be a value that JSON has");
    },
  });
  if (!isMap(document.contents)) throw new FileError(path, 1, "must be an object with a field in each line");
  return { document, lines };
}

function toObject(document: Document): Record<string, unknown> {
  const value: unknown = document.toJS();
  return isObject(value) ? value : {};
}

/** Where a field is in the text, or the innermost one around it that exists. */
function findOffset(document: Document, field: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (let rest = [...field]; rest.length > 0; ) {
    const found = isNode(node) ? step(node, rest) : undefined;
    if (!found) break;
    offset = found.offset ?? offset;
    node = found.node;
    rest = rest.slice(found.used);
  }
  return offset;
}

/** The entry of a node that a path begins with. The name of a header can contain the dots that separate names. */
function step(node: Node, path: readonly string[]) {
  if (!isMap(node)) {
    const items: unknown = Reflect.get(node, "items");
    const item: unknown = Array.isArray(items) ? items[Number(path[0])] : undefined;
    return isNode(item) ? { node: item, offset: item.range?.[0], used: 1 } : undefined;
  }
  for (let used = path.length; used > 0; used--) {
    const name = path.slice(0, used).join(".");
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (pair && isScalar(pair.key)) return { node: pair.value, offset: pair.key.range?.[0], used };
  }
  return undefined;
}

const isCollection = (value: unknown) => typeof value === "object" && value !== null;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is wrong with a JSON text, and in which line, counted from 1. */
export type JsonProblem = { line: number; message: string };

/** A JSON text's value, and the line in which the value at a path such as `properties.size.type` begins. */
export type JsonRead = { value: unknown; lineOf: (path: string) => number };

/**
 * Reads JSON and keeps where everything stands, which browsers do not tell. Takes exactly what JSON.parse takes, up to 200 levels deep.
 * @returns the problem in words when it is none
 */
export function readJson(text: string): JsonRead | JsonProblem {
  const lines = new Map<string, number>();
  const reader = createReader(text, lines);
  try {
    const value = reader.read("", 0);
    reader.end();
    return { value, lineOf: (path) => nearest(lines, path) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { line: lineAt(text, error.at), message: error.message };
  }
}

const maxDepth = 200;
const names: Record<string, unknown> = { true: true, false: false, null: null };
const stringToken = /"(?:[^"\\\n\r]|\\.)*"/y;
const plainToken = /-?[\w.+-]+/y;

class Unreadable extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

function createReader(text: string, lines: Map<string, number>) {
  let at = 0;
  const skip = () => {
    while (/[ \t\n\r]/.test(text[at] ?? "")) at += 1;
  };
  const found = () => (at >= text.length ? "the text ends" : `there is ${text[at]}`);
  const expect = (character: string, after: string) => {
    skip();
    if (text[at] !== character) throw new Unreadable(at, `A ${character} is missing ${after}: ${found()}.`);
    at += 1;
  };

  function token(): unknown {
    const pattern = text[at] === '"' ? stringToken : plainToken;
    pattern.lastIndex = at;
    const [word = ""] = pattern.exec(text) ?? [];
    if (word === "") throw new Unreadable(at, text[at] === '"' ? "A text has no closing quote." : wanted());
    const start = at;
    at += word.length;
    if (Object.hasOwn(names, word)) return names[word];
    try {
      return JSON.parse(word);
    } catch {
      throw new Unreadable(start, `${word.slice(0, 40)} is not a value. A text needs double quotes around it.`);
    }
  }
  const wanted = () => (at >= text.length ? "The text ends before it is complete." : `A value is missing: ${found()}.`);

  function read(path: string, depth: number): unknown {
    skip();
    lines.set(path, lineAt(text, at));
    if (depth > maxDepth) throw new Unreadable(at, `This is nested deeper than ${maxDepth} levels.`);
    if (text[at] === "{") return readObject(path, depth);
    return text[at] === "[" ? readArray(path, depth) : token();
  }

  function readObject(path: string, depth: number): unknown {
    const entries: [string, unknown][] = [];
    const isOver = within("}");
    while (!isOver(entries.length)) {
      skip();
      if (text[at] !== '"') throw new Unreadable(at, `A name in double quotes is missing: ${found()}.`);
      const name = String(token());
      expect(":", `after "${name}"`);
      entries.push([name, read(join(path, name), depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  function readArray(path: string, depth: number): unknown {
    const items: unknown[] = [];
    const isOver = within("]");
    while (!isOver(items.length)) items.push(read(join(path, String(items.length)), depth + 1));
    return items;
  }

  /** Steps over the opening; then tells before each part whether the closing is reached, and steps over the comma otherwise. */
  function within(closing: string) {
    at += 1;
    return (count: number) => {
      skip();
      if (text[at] === closing) {
        at += 1;
        return true;
      }
      if (count === 0) return false;
      const comma = at;
      expect(",", `or ${closing}`);
      skip();
      if (text[at] === closing) throw new Unreadable(comma, `This comma has nothing after it. Remove it.`);
      return false;
    };
  }

  return {
    read,
    end() {
      skip();
      if (at < text.length) throw new Unreadable(at, `After the end of the value ${found()}.`);
    },
  };
}

const join = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

/** Of the value itself, or of the closest one around it: what is missing has no line. */
function nearest(lines: Map<string, number>, path: string): number {
  for (let part = path; part !== ""; part = part.slice(0, Math.max(0, part.lastIndexOf(".")))) {
    const line = lines.get(part);
    if (line !== undefined) return line;
  }
  return 1;
}

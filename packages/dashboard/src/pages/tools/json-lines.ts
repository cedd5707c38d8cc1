import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** An error in a JSON text and its line, counted from 1. */
export type JsonProblem = { line: number; message: string };

/**
 * The value of a JSON text, and a function that finds the line where the value at a path such as
 * `properties.size.type` begins.
 */
export type JsonRead = { value: unknown; lineOf: (path: string) => number };

/** Accepts exactly what `JSON.parse` accepts, and also reports lines, which browsers do not. */
export function readJson(text: string): JsonRead | JsonProblem {
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
    const [error] = errors;
    if (error) return toProblem(text, error);
    return { value: JSON.parse(text), lineOf: (path) => lineAt(text, findNearestOffset(tree, path)) };
  } catch (error) {
    if (error instanceof RangeError) return { line: 1, message: "This is nested too deeply." };
    if (error instanceof SyntaxError) return { line: 1, message: error.message };
    throw error;
  }
}

/** A sentence for each error code of the parser. */
const messages: Record<string, string> = {
  ColonExpected: "Expected a : between the name and its value.",
  CommaExpected: "Expected a , or a closing bracket before this.",
  CloseBraceExpected: "Expected a closing }.",
  CloseBracketExpected: "Expected a closing ].",
  EndOfFileExpected: "Unexpected text after the end of the value.",
  InvalidCharacter: "Strings cannot contain tabs or other control characters. Write \\t instead.",
  InvalidCommentToken: "JSON does not allow comments.",
  InvalidEscapeCharacter: "Expected a known escape such as \\n after the backslash.",
  InvalidSymbol: "Expected a value or a name. Strings and names need double quotes.",
  InvalidUnicode: "Expected four hexadecimal digits after \\u.",
  PropertyNameExpected: "Expected a name in double quotes.",
  UnexpectedEndOfNumber: "Expected a digit.",
  UnexpectedEndOfString: "Expected a closing double quote.",
  ValueExpected: "Expected a value.",
};

function toProblem(text: string, { error, offset }: ParseError): JsonProblem {
  const before = text.slice(0, offset).trimEnd();
  if (before.endsWith(",") && /[\]}]/.test(text[offset] ?? "")) {
    return { line: lineAt(text, before.length - 1), message: "Remove this comma: nothing follows it." };
  }
  return { line: lineAt(text, offset), message: messages[printParseErrorCode(error)] ?? "Expected valid JSON." };
}

/** The offset of the value at the path, or of the closest enclosing value if it is missing. */
function findNearestOffset(tree: Node | undefined, path: string): number {
  let value = tree;
  for (const part of path.split(".")) {
    const next = value && findNodeAtLocation(value, [value.type === "array" ? Number(part) : part]);
    if (!next) break;
    value = next;
  }
  return value?.offset ?? 0;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

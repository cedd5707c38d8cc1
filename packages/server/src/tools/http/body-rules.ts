import {
  findInputNames,
  findPlaceholderNames,
  isKnownBound,
  isReservedInput,
  urlPlaceholder,
} from "@foyer/contract/rules/url-template";
import { checkAll, invalid } from "../../errors.ts";

const MAX_BYTES = 16 * 1_024;
const MAX_DEPTH = 12;

type Json = unknown;
type BodyTemplate = Record<string, unknown> | unknown[];

/** Reads the template of a body, which a request may also send as JSON text. @throws 400 */
export function parseBodyTemplate(given: BodyTemplate | string): BodyTemplate {
  if (typeof given !== "string") return given;
  try {
    const parsed: unknown = JSON.parse(given);
    if (typeof parsed === "object" && parsed !== null) return parsed as BodyTemplate;
  } catch {
    // The error is thrown below, as for JSON of a wrong type.
  }
  throw invalid("httpBody", "must be a JSON object or list, with placeholders only inside of strings", "format");
}

/** Checks the template of a body before it is saved. @throws 400 */
export function checkBodyTemplate(template: Json, inputs: ReadonlySet<string> | null): void {
  if (Buffer.byteLength(JSON.stringify(template)) > MAX_BYTES) {
    throw invalid("httpBody", `must be at most ${MAX_BYTES / 1_024} KB of JSON`, "max_length");
  }
  const keys: string[] = [];
  const texts: string[] = [];
  collect(template, { keys, texts, depth: 0 });
  if (keys.some((key) => key.includes("{{"))) {
    throw invalid("httpBody", "must not have placeholders in names, only in values", "not_allowed");
  }
  const misspelled = texts.find((text) => text.replace(urlPlaceholder, "").includes("{{"));
  if (misspelled !== undefined) throw invalid("httpBody", "contains {{ without a name and }} after it", "format");
  checkBoundNames("httpBody", texts);
  checkBraces("httpBody", texts.join(" "));
  if (inputs === null) return;
  checkAll(
    findInputNames(texts.join(" "))
      .filter((name) => !inputs.has(name))
      .map((name) => () => {
        throw invalid("httpBody", `uses {${name}}, which is not a property of inputSchema`, "unknown_reference");
      }),
  );
}

/** Finds a misspelled `{{visitor.…}}` before the first call. @throws 400 */
export function checkBoundNames(path: string, texts: readonly string[]): void {
  const unknown = findPlaceholderNames(texts).find((name) => name.includes(".") && !isKnownBound(name));
  if (unknown === undefined) return;
  const known = "visitor.id, visitor.email, visitor.name, visitor.claims.<name>, conversation.id and page.url";
  throw invalid(path, `uses {{${unknown.slice(0, 100)}}}. The server fills in ${known}.`, "unknown_reference");
}

/**
 * Finds a `{visitor.id}` that was meant to be `{{visitor.id}}`. In a tool that takes any input, the model could choose
 * its value. @throws 400
 */
export function checkBraces(path: string, text: string): void {
  const single = findInputNames(text).find(isReservedInput);
  if (single === undefined) return;
  const name = single.slice(0, 100);
  throw invalid(path, `uses {${name}}. Write {{${name}}} for the value that the server fills in.`, "not_allowed");
}

function collect(value: Json, found: { keys: string[]; texts: string[]; depth: number }): void {
  if (found.depth > MAX_DEPTH) throw invalid("httpBody", `must not be nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === "string") found.texts.push(value);
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) found.keys.push(...Object.keys(value));
  for (const child of Object.values(value)) collect(child, { ...found, depth: found.depth + 1 });
}

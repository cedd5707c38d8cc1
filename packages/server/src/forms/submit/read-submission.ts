import { parseDataUrl } from "@foyer/contract/rules/data-url";
import { type JsonProblem, readJson } from "../../http/json-value.ts";

/** The parts of a data URL. `prefix` includes the comma. */
export type DecodedFile = { prefix: string; content: Uint8Array };

/**
 * The parsed body of a submission. Each data URL in `formData` is replaced by an empty string and returned in `files`,
 * keyed by field name.
 */
export type ReadSubmission = { value: unknown; files: Map<string, DecodedFile> } | { problem: JsonProblem };

/** Parses a body and decodes its files. It runs in a worker thread for large bodies. */
export function readSubmission(bytes: Buffer, maxValues: number): ReadSubmission {
  const read = readJson(bytes, maxValues);
  if ("problem" in read) return read;
  const files = new Map<string, DecodedFile>();
  const formData = (read.value as { formData?: unknown } | null)?.formData;
  if (typeof formData === "object" && formData !== null && !Array.isArray(formData)) {
    for (const [field, value] of Object.entries(formData)) {
      const file = typeof value === "string" ? decodeFile(value) : null;
      if (!file) continue;
      files.set(field, file);
      (formData as Record<string, unknown>)[field] = "";
    }
  }
  return { value: read.value, files };
}

function decodeFile(text: string): DecodedFile | null {
  const parsed = parseDataUrl(text);
  if (!parsed) return null;
  const prefix = text.slice(0, text.length - parsed.base64.length);
  return { prefix, content: copyPooledBytes(Buffer.from(parsed.base64, "base64")) };
}

/**
 * Copies a buffer that is part of Node's shared pool, because memory of the pool cannot be transferred to another
 * thread.
 */
function copyPooledBytes(bytes: Buffer): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

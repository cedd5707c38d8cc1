import { parseDataUrl } from "@foyer/contract/rules/data-url";
import { type JsonProblem, readJson } from "../../http/json-value.ts";

/** A data URL's parts: `prefix` goes up to and with the comma. */
export type DecodedFile = { prefix: string; content: Uint8Array };

/** The body of a submission, with "" in `formData` in place of every data URL, and these by the field's name. */
export type ReadSubmission = { value: unknown; files: Map<string, DecodedFile> } | { problem: JsonProblem };

/** Reads a body and decodes its files. It runs in a thread of its own when the body is large. */
export function readSubmission(bytes: Buffer): ReadSubmission {
  const read = readJson(bytes);
  if ("problem" in read) return read;
  const files = new Map<string, DecodedFile>();
  const formData = (read.value as { formData?: unknown } | null)?.formData;
  if (typeof formData === "object" && formData !== null && !Array.isArray(formData)) {
    for (const [field, value] of Object.entries(formData)) {
      const file = typeof value === "string" ? decode(value) : null;
      if (!file) continue;
      files.set(field, file);
      (formData as Record<string, unknown>)[field] = "";
    }
  }
  return { value: read.value, files };
}

function decode(text: string): DecodedFile | null {
  const parsed = parseDataUrl(text);
  if (!parsed) return null;
  const prefix = text.slice(0, text.length - parsed.base64.length);
  return { prefix, content: ownBytes(Buffer.from(parsed.base64, "base64")) };
}

/** Small buffers share memory with others, and memory that is shared cannot be handed to another thread. */
function ownBytes(bytes: Buffer): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

import type { FormField } from "@foyer/contract";
import { declaredType } from "@foyer/contract/rules/data-url";
import type { SubmissionFileRow } from "../db/form-tables.ts";
import type { DecodedFile } from "./read-submission.ts";

export type SubmittedFile = Omit<SubmissionFileRow, "submissionId" | "field">;

/**
 * Sorts out what came as a data URL: the files of file fields go apart, with `null` in their place; in any other field a
 * data URL is text like any other.
 */
export function submittedFiles(
  fields: readonly FormField[],
  formData: Record<string, unknown>,
  files: ReadonlyMap<string, DecodedFile>,
) {
  const takesFiles = new Set(fields.filter(({ type }) => type === "file" || type === "image").map(({ name }) => name));
  const data = { ...formData };
  const kept = new Map<string, SubmittedFile>();
  for (const [field, { prefix, content }] of files) {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    if (takesFiles.has(field)) {
      kept.set(field, { prefix, mediaType: mediaTypeOf(prefix, bytes), size: bytes.length, content: bytes });
      data[field] = null;
    } else {
      data[field] = prefix + bytes.toString("base64");
    }
  }
  return { data, kept };
}

/** How the images that browsers show begin: at which byte, with what. */
const signatures: ReadonlyArray<readonly [mediaType: string, at: number, text: string]> = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/jpg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["image/avif", 4, "ftypavi"],
  ["image/heic", 4, "ftyphei"],
  ["image/heif", 4, "ftypmif1"],
  ["image/bmp", 0, "BM"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
];

const anyBytes = "application/octet-stream";

/** The declared type; an image whose first bytes are not of that type is any bytes. */
function mediaTypeOf(prefix: string, bytes: Buffer): string {
  const declared = declaredType(prefix);
  // It goes into a header when the file is downloaded.
  if (!/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(declared)) return anyBytes;
  if (!declared.startsWith("image/")) return declared;
  const start = bytes.subarray(0, 16).toString("latin1");
  const isIt = signatures.some(([mediaType, at, text]) => mediaType === declared && start.startsWith(text, at));
  return isIt ? declared : anyBytes;
}

import type { FormField } from "@foyer/contract";
import { declaredType } from "@foyer/contract/rules/data-url";
import { holdsFile } from "@foyer/contract/rules/field-types";
import type { SubmissionFileRow } from "../../db/tables/forms.ts";
import type { DecodedFile } from "./read-submission.ts";

export type SubmittedFile = Omit<SubmissionFileRow, "submissionId" | "field">;

/** The visitor's input. `files` contains the decoded data URLs of `formData`, keyed by field. */
type VisitorInput = {
  formData: Record<string, unknown>;
  files: ReadonlyMap<string, DecodedFile>;
  fileNames: Readonly<Record<string, string>>;
};

/**
 * Separates a visitor's input into the form's data and its files. In the data, each file is replaced by `null`. A data
 * URL in a field of another type remains text. Unknown fields are dropped, and their names are returned in `ignored`.
 */
export function separateFiles(fields: readonly FormField[], { formData, files, fileNames }: VisitorInput) {
  const fieldsByName = new Map(fields.map((field) => [field.name, field]));
  const ignored = Object.keys(formData).filter((name) => !fieldsByName.has(name));
  const data = Object.fromEntries(Object.entries(formData).filter(([name]) => fieldsByName.has(name)));
  const kept = new Map<string, SubmittedFile>();
  for (const [field, { prefix, content }] of files) {
    const formField = fieldsByName.get(field);
    if (formField === undefined) continue;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    if (holdsFile(formField)) {
      const name = Object.hasOwn(fileNames, field) ? safeFileName(fileNames[field] ?? "") : null;
      kept.set(field, { prefix, mediaType: detectMediaType(prefix, bytes), size: bytes.length, content: bytes, name });
      data[field] = null;
    } else {
      data[field] = prefix + bytes.toString("base64");
    }
  }
  return { data, kept, ignored };
}

/** The maximum length of a file name in common file systems, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255;

/**
 * Returns the last segment of a path without characters that file systems reject, and without control and bidirectional
 * characters, which can disguise `exe.pdf` as `fdp.exe`. A long name keeps its extension.
 * @returns null when nothing is left
 */
export function safeFileName(path: string): string | null {
  const lastSegment = path.toWellFormed().split(/[\\/]/).at(-1) ?? "";
  const name = lastSegment
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .replace(/\s+/g, " ")
    .replace(/^[ .]+|[ .]+$/g, "");
  if (name === "") return null;
  const extension = /\.[^. ]{1,20}$/.exec(name)?.[0] ?? "";
  let stem = [...name.slice(0, name.length - extension.length)];
  const maxStemBytes = MAX_NAME_BYTES - Buffer.byteLength(extension);
  while (Buffer.byteLength(stem.join("")) > maxStemBytes)
    stem = stem.slice(0, Math.max(1, Math.floor(stem.length * 0.9)));
  return stem.join("") + extension;
}

/** The magic numbers of the images that browsers display, each with its offset. */
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

const OCTET_STREAM = "application/octet-stream";

/** Returns the declared type, or `application/octet-stream` for an image whose first bytes do not match its type. */
function detectMediaType(prefix: string, bytes: Buffer): string {
  const declared = declaredType(prefix);
  // Accept only valid types, because the type becomes a header of the download.
  if (!/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(declared)) return OCTET_STREAM;
  if (!declared.startsWith("image/")) return declared;
  const start = bytes.subarray(0, 16).toString("latin1");
  const hasSignature = signatures.some(([mediaType, at, text]) => mediaType === declared && start.startsWith(text, at));
  return hasSignature ? declared : OCTET_STREAM;
}

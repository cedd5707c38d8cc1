import type { FormField } from "@foyer/contract";
import { declaredType } from "@foyer/contract/rules/data-url";
import { holdsFile } from "@foyer/contract/rules/field-types";
import type { SubmissionFileRow } from "../../db/form-tables.ts";
import type { DecodedFile } from "./read-submission.ts";

export type SubmittedFile = Omit<SubmissionFileRow, "submissionId" | "field">;

/** What a visitor sent. `files` are the data URLs of `formData`, decoded, by field. */
type Sent = {
  formData: Record<string, unknown>;
  files: ReadonlyMap<string, DecodedFile>;
  fileNames: Readonly<Record<string, string>>;
};

/**
 * Splits what a visitor sent into the form's own data and its files, which leave `null` in their place. A data URL in a
 * field of another type is text. Fields that the form does not have are dropped.
 * @returns in `ignored` the names of what was dropped
 */
export function submittedFiles(fields: readonly FormField[], { formData, files, fileNames }: Sent) {
  const known = new Map(fields.map((field) => [field.name, field]));
  const ignored = Object.keys(formData).filter((name) => !known.has(name));
  const data = Object.fromEntries(Object.entries(formData).filter(([name]) => known.has(name)));
  const kept = new Map<string, SubmittedFile>();
  for (const [field, { prefix, content }] of files) {
    const asked = known.get(field);
    if (asked === undefined) continue;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    if (holdsFile(asked)) {
      const name = Object.hasOwn(fileNames, field) ? safeFileName(fileNames[field] ?? "") : null;
      kept.set(field, { prefix, mediaType: mediaTypeOf(prefix, bytes), size: bytes.length, content: bytes, name });
      data[field] = null;
    } else {
      data[field] = prefix + bytes.toString("base64");
    }
  }
  return { data, kept, ignored };
}

/** Longest name that common file systems take, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255;

/**
 * The last part of a path, without what file systems refuse, and without control and direction characters, which can
 * make `exe.pdf` of `fdp.exe`. A long name keeps its extension.
 * @returns null when nothing is left
 */
export function safeFileName(path: string): string | null {
  const last = path.toWellFormed().split(/[\\/]/).at(-1) ?? "";
  const name = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .replace(/\s+/g, " ")
    .replace(/^[ .]+|[ .]+$/g, "");
  if (name === "") return null;
  const extension = /\.[^. ]{1,20}$/.exec(name)?.[0] ?? "";
  let stem = [...name.slice(0, name.length - extension.length)];
  const room = MAX_NAME_BYTES - Buffer.byteLength(extension);
  while (Buffer.byteLength(stem.join("")) > room) stem = stem.slice(0, Math.max(1, Math.floor(stem.length * 0.9)));
  return stem.join("") + extension;
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

import { type AttachmentType, attachmentLimits } from "@foyer/contract";

const extensions: Record<AttachmentType, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "text/plain": "txt",
  "text/csv": "csv",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
};

/**
 * Control, bidirectional and zero-width characters, which can disguise a name, and separators of lines. Words of some
 * languages and emoji contain joiners.
 */
const invisible = /(?!(?<=[^\0-\x7f])[\u200c\u200d](?=[^\0-\x7f]))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Other endings that programs open as data of the same type. */
const otherExtensions: Partial<Record<AttachmentType, readonly string[]>> = {
  "image/jpeg": ["jpeg"],
  "text/plain": ["md", "markdown", "log", "text", "csv", "tsv"],
  "text/csv": ["tsv", "txt"],
};

/**
 * Returns the last segment of a path as the name of an attachment: without invisible characters, of a limited length, and
 * with an ending of its type, because a double click on `invoice.bat` would run it. If nothing else is left, the name is
 * `file`.
 */
export function cleanName(path: string, type: AttachmentType): string {
  const last = path.toWellFormed().split(/[\\/]/).at(-1) ?? "";
  // Windows ignores dots and spaces at the end of a name.
  const name = last
    .replace(invisible, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[. ]+$/, "");
  const extension = extensions[type];
  const ending = /\.([^. ]{1,20})$/.exec(name)?.[1]?.toLowerCase();
  const hasOwn = ending !== undefined && [extension, ...(otherExtensions[type] ?? [])].includes(ending);
  const stem = hasOwn ? name.slice(0, -ending.length - 1) : name;
  const shown = hasOwn ? name.slice(-ending.length) : extension;
  const letters = Array.from(/^\.*$/.test(stem) ? "file" : stem);
  return `${letters.slice(0, attachmentLimits.nameCharacters - shown.length - 1).join("")}.${shown}`;
}

/** Decodes a percent-encoded header. A value that is not encoded is used as it is. */
export function decodeName(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

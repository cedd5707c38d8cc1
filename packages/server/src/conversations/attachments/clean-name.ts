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

/**
 * Returns the last segment of a path as the name of an attachment: without invisible characters, and of a limited
 * length. A long name keeps its extension. If nothing is left, the name is `file` with the extension of its type.
 */
export function cleanName(path: string, type: AttachmentType): string {
  const last = path.toWellFormed().split(/[\\/]/).at(-1) ?? "";
  const name = last.replace(invisible, "").replace(/\s+/g, " ").trim();
  if (/^\.*$/.test(name)) return `file.${extensions[type]}`;
  const letters = Array.from(name);
  if (letters.length <= attachmentLimits.nameCharacters) return name;
  const extension = Array.from(/\.[^. ]{1,20}$/.exec(name)?.[0] ?? "");
  return [...letters.slice(0, attachmentLimits.nameCharacters - extension.length), ...extension].join("");
}

/** Decodes a percent-encoded header. A value that is not encoded is used as it is. */
export function decodeName(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

import { documentFormats } from "@foyer/contract/rules/document-formats";
import type { DeclaredType } from "./declared-type.ts";
import type { Extracted, OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { detectFormat } from "./file-probe.ts";
import { formatReaders } from "./formats.ts";
import { fileLimits } from "./limits.ts";
import { createWarnings } from "./warnings.ts";

/**
 * Reads a file. Run this only in the extraction process, because a malicious file can use any amount of time and memory.
 */
export async function extract(
  bytes: Uint8Array,
  onProgress: OnProgress,
  {
    declared = { charset: null, format: null },
    isStartPage = false,
  }: { declared?: DeclaredType; isStartPage?: boolean } = {},
): Promise<Extracted> {
  const warnings = createWarnings();
  const { format, text, archive } = detectFormat(bytes, declared, warnings);
  const { title, blocks } = await formatReaders[format].read({
    bytes,
    text,
    archive,
    onProgress,
    warnings,
    isStartPage,
  });
  const written = blocks.reduce((sum, block) => sum + block.text.length, 0);
  // Tables are written with more characters than the file has.
  const characters = text === "" ? written : Math.min(written, text.length);
  if (characters > fileLimits.maxCharacters) {
    const millions = fileLimits.maxCharacters / 1_000_000;
    throw new ExtractionError(
      "TOO_LARGE",
      `The file has more than ${millions} million characters. Split it into smaller files.`,
    );
  }
  if (!blocks.some(({ text }) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text))) {
    throw new ExtractionError("NO_TEXT", "No text was found in the file.");
  }
  const [mimeType] = documentFormats[format].mediaTypes;
  return { mimeType, title, blocks, warnings: warnings.list() };
}

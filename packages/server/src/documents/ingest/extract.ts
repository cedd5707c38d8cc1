import { detectFormat, mimeTypeOf } from "./detect-format.ts";
import type { Extracted, OnProgress } from "./extracted.ts";
import { ExtractionError } from "./extraction-error.ts";
import { fileLimits } from "./limits.ts";

/**
 * Reads a file. The code for a format is loaded on first use. Run this only in the extraction process, because a
 * malicious file can use any amount of time and memory.
 * @param charset the encoding that the HTTP response or the upload specified, see `parseCharset`
 */
export async function extract(
  bytes: Uint8Array,
  onProgress: OnProgress,
  charset: string | null = null,
): Promise<Extracted> {
  const extracted = await extractByFormat(bytes, onProgress, charset);
  const characters = extracted.blocks.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > fileLimits.maxCharacters) {
    const millions = fileLimits.maxCharacters / 1_000_000;
    throw new ExtractionError(
      "TOO_LARGE",
      `The file has more than ${millions} million characters. Split it into smaller files.`,
    );
  }
  if (!extracted.blocks.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) {
    throw new ExtractionError("NO_TEXT", "No text was found in the file.");
  }
  return extracted;
}

async function extractByFormat(bytes: Uint8Array, onProgress: OnProgress, charset: string | null): Promise<Extracted> {
  const { format, text } = detectFormat(bytes, charset);
  switch (format) {
    case "pdf": {
      const { extractPdf } = await import("./extract-pdf.ts");
      return { mimeType: mimeTypeOf(format), ...(await extractPdf(bytes, onProgress)) };
    }
    case "zip": {
      const { extractOffice } = await import("./extract-office.ts");
      return extractOffice(bytes, onProgress);
    }
    case "html": {
      const { extractHtml } = await import("./extract-html.ts");
      const { title, blocks } = extractHtml(text ?? "", onProgress);
      return { mimeType: mimeTypeOf(format), title, blocks };
    }
    case "csv": {
      const { extractCsv } = await import("./extract-csv.ts");
      return { mimeType: mimeTypeOf(format), title: null, blocks: extractCsv(text ?? "") };
    }
    case "markdown":
    case "text": {
      const { extractText, splitFrontMatter } = await import("./extract-text.ts");
      const { title, content } = splitFrontMatter(text ?? "");
      return { mimeType: mimeTypeOf(format), title, blocks: extractText(content) };
    }
  }
}

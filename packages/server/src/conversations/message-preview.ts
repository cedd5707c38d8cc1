const PREVIEW_CHARACTERS = 160;

/** The start of a message on one line, as lists show it. */
export function createPreview(content: string): string {
  const line = content
    .slice(0, PREVIEW_CHARACTERS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return Array.from(line).slice(0, PREVIEW_CHARACTERS).join("").toWellFormed();
}

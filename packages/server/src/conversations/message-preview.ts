const PREVIEW_CHARACTERS = 160;

/** The start of a message on one line, as lists show it. */
export function createPreview(content: string): string {
  const line = content
    .slice(0, PREVIEW_CHARACTERS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return Array.from(line).slice(0, PREVIEW_CHARACTERS).join("").toWellFormed();
}

/** The text of a message. One without text is described by the names of its attachments. */
export function describeMessage(message: { content: string; attachments: ReadonlyArray<{ name: string }> }): string {
  const { content, attachments } = message;
  return content.trim() === "" ? attachments.map(({ name }) => name).join(", ") : content;
}

/** The maximum UTF-8 bytes of a reply's text, and of its tool calls with their results. */
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_TOOL_BYTES = 4 * 1024 * 1024;

/** Tracks the size of a reply and the space that is left in it. */
export function createReplyRoom() {
  const left = { textBytes: MAX_TEXT_BYTES, toolBytes: MAX_TOOL_BYTES };
  let taken = 0;
  const takeTool = (value: unknown): boolean => {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    // Count a result that does not fit as one byte, because a placeholder replaces it, which is a change as well.
    taken += bytes <= left.toolBytes ? bytes : 1;
    if (bytes > left.toolBytes) return false;
    left.toolBytes -= bytes;
    return true;
  };
  return {
    /** Bytes in the reply. Grows with everything that is added. */
    get taken() {
      return taken;
    },
    /** Lowers the limits to the space that is left in the conversation. */
    limit(bytes: { textBytes: number; toolBytes: number }): void {
      left.textBytes = Math.min(left.textBytes, bytes.textBytes);
      left.toolBytes = Math.min(left.toolBytes, bytes.toolBytes);
    },
    /** Adds the text, or as many whole characters of it as fit, and returns the added part. */
    takeText(said: string, { isNewBlock }: { isNewBlock: boolean }): { text: string; isCut: boolean } {
      // PostgreSQL cannot store NUL, and it is not visible in text.
      const whole = said.replaceAll("\0", "");
      // A new text block also uses some of the space for tools, because the overhead of many short blocks would
      // otherwise be unlimited.
      if (whole !== "" && isNewBlock && !takeTool({ type: "text", text: "" })) return { text: "", isCut: true };
      const isCut = Buffer.byteLength(whole) > left.textBytes;
      const text = isCut ? startWithin(whole, left.textBytes) : whole;
      const bytes = Buffer.byteLength(text);
      left.textBytes = isCut ? 0 : left.textBytes - bytes;
      taken += bytes;
      return { text, isCut };
    },
    /** @returns false when there is no room for a call or a result */
    takeTool,
  };
}

function startWithin(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

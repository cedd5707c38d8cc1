export type CallInput = ReturnType<typeof createCallInput>;

/**
 * The JSON of a tool call, which arrives in pieces. Each character is read once and the pieces are joined only when the
 * text is complete, because 100,000 pieces of one character would otherwise be copied 100,000 times.
 */
export function createCallInput() {
  let pieces: string[] = [];
  let length = 0;
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  /** the last character that is no white space */
  let last = "";
  /** whether an object has ended, with nothing but white space after it */
  let isClosed = false;
  /** whether more follows an object that has ended, so that the input will never be JSON */
  let isBroken = false;
  /** whether the closed object is JSON; null until it is parsed */
  let isJson: boolean | null = null;

  function read(character: string) {
    if (isInText) {
      if (isEscaped) isEscaped = false;
      else if (character === "\\") isEscaped = true;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (character.trim() === "") return;
    if (isClosed) isBroken = true;
    last = character;
    isClosed = !isInText && depth <= 0 && character === "}";
  }

  function text(): string {
    if (pieces.length > 1) pieces = [pieces.join("")];
    return pieces[0] ?? "";
  }

  return {
    get length() {
      return length;
    },
    append(piece: string): void {
      if (piece === "") return;
      pieces.push(piece);
      length += piece.length;
      for (let at = 0; at < piece.length; at++) read(piece.charAt(at));
    },
    clear(): void {
      pieces = [];
      length = 0;
      depth = 0;
      last = "";
      isClosed = false;
      isBroken = false;
      isJson = null;
    },
    text,
    last: () => last,
    /** Whether the input is only `{}`, without more than a little white space. */
    isEmptyObject: () => isClosed && length <= 8 && text().trim() === "{}",
    /** Whether the input is a whole object. It is parsed once. */
    isComplete(): boolean {
      if (!isClosed || isBroken) return false;
      isJson ??= canParse(text());
      return isJson;
    },
  };
}

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export type ServerEvent = { id: string; type: string; data: string };

/** What a stream contains besides events. */
export type SseListeners = {
  /** Receives the milliseconds after which the server wants the client to reconnect. */
  onRetry?: ((milliseconds: number) => void) | undefined;
  /** Called for each comment with which the server says that the model thinks. */
  onThinking?: (() => void) | undefined;
};

/**
 * Parses Server-Sent Events from text that arrives in pieces of any size. The returned function takes the next piece
 * and returns the events that it completes. An incomplete event at the end of a stream is dropped, as the standard
 * requires.
 */
export function createSseParser({ onRetry, onThinking }: SseListeners = {}): (text: string) => ServerEvent[] {
  let rest = "";
  let isFirst = true;
  let id = "";
  let type = "";
  let data: string[] = [];

  const readLine = (line: string, finished: ServerEvent[]) => {
    if (line === "") {
      if (data.length > 0) finished.push({ id, type: type || "message", data: data.join("\n") });
      type = "";
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") data.push(value);
    else if (field === "event") type = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (line === ": thinking") onThinking?.();
    else if (field === "retry" && /^\d+$/.test(value)) onRetry?.(Number(value));
  };

  return (text) => {
    rest += text;
    if (isFirst && rest !== "") {
      isFirst = false;
      if (rest.startsWith("\uFEFF")) rest = rest.slice(1);
    }
    const finished: ServerEvent[] = [];
    // A carriage return at the end may be the first half of a line break, so it waits for the next piece.
    const lineEnd = /\r\n|\n|\r(?!$)/g;
    let start = 0;
    for (let end = lineEnd.exec(rest); end; end = lineEnd.exec(rest)) {
      readLine(rest.slice(start, end.index), finished);
      start = lineEnd.lastIndex;
    }
    rest = rest.slice(start);
    return finished;
  };
}

import { ReplySizeError } from "./model-error.ts";

/** The maximum number of characters of one line or event, so that a provider cannot exhaust memory. */
export const maxEventCharacters = 1024 * 1024;
/** The maximum number of lines of one stream, also of comments and other lines without data. */
const maxLines = 1_000_000;

/**
 * Receives the data of an event and the event's name. It is called for each data line at once, because many servers
 * leave out the blank line that ends an event. It returns false if the data is only the beginning of an event. The
 * reader then joins it with the data lines that follow, and calls the receiver again with `isWhole` at the end of the
 * event.
 */
type OnData = (data: string, event: { name: string; isWhole: boolean }) => boolean;

/**
 * Reads an event stream by the rules of the HTML standard: lines end with LF, CR or CRLF, a byte order mark at the start
 * is skipped, comments and unknown fields except `error` are ignored, and the data lines of an event are joined. The last line may lack
 * its line ending. After `onData` has called `stop`, the rest is ignored.
 */
export function createEventStreamReader(onData: OnData) {
  /** the start of an incomplete line */
  let rest = "";
  let name = "";
  let pending: string | null = null;
  let hasStarted = false;
  let isAfterCarriageReturn = false;
  let isStopped = false;
  let lines = 0;

  function endEvent() {
    const data = pending;
    pending = null;
    if (data !== null) onData(data, { name, isWhole: true });
    name = "";
  }

  function readLine(line: string) {
    if (++lines > maxLines) throw new ReplySizeError("The model sent more than a million lines.");
    if (line === "") return endEvent();
    if (line.startsWith("data")) {
      const data = line.charCodeAt(4) === COLON ? line.slice(5).trim() : null;
      if (data === null) return;
      if (pending !== null) pending += `\n${data}`;
      else if (data !== "" && !onData(data, name === "" ? unnamedEvent : { name, isWhole: false })) pending = data;
      if (pending !== null && pending.length > maxEventCharacters) throw tooLongError();
    } else if (line.startsWith("event:")) {
      name = line.slice(6).trim();
    } else if (line.startsWith("error:")) {
      // Versions of llama.cpp until 2025 send errors in a field of this name.
      onData(line.slice(6).trim(), { name: "error", isWhole: true });
    }
  }

  function readLines(text: string) {
    let start = 0;
    while (start < text.length && !isStopped) {
      const end = text.indexOf("\n", start);
      rest += end === -1 ? text.slice(start) : text.slice(start, end);
      if (rest.length > maxEventCharacters) throw tooLongError();
      if (end === -1) return;
      const line = rest;
      rest = "";
      readLine(line);
      start = end + 1;
    }
  }

  /** Converts CR and CRLF to LF. A CRLF may be split between two texts. */
  function toLineFeeds(text: string): string {
    const own = isAfterCarriageReturn && text.startsWith("\n") ? text.slice(1) : text;
    isAfterCarriageReturn = text.endsWith("\r");
    return own.includes("\r") ? own.replace(/\r\n?/g, "\n") : own;
  }

  return {
    push(text: string): void {
      if (text === "" || isStopped) return;
      const own = hasStarted || text.charCodeAt(0) !== BYTE_ORDER_MARK ? text : text.slice(1);
      hasStarted = true;
      readLines(toLineFeeds(own));
    },
    /** Reads the last line and event, which may be cut off. */
    end(): void {
      readLines("\n");
      if (!isStopped) endEvent();
    },
    stop(): void {
      isStopped = true;
    },
  };
}

const unnamedEvent = { name: "", isWhole: false };
const COLON = 58;
const BYTE_ORDER_MARK = 0xfeff;

const tooLongError = () => new ReplySizeError("The model sent a line of more than 1 MiB.");

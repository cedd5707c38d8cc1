export type ServerEvent = { id: string; type: string; data: string };

/**
 * Reads Server-Sent Events from text that comes in any pieces. The function that it returns takes the next piece and
 * gives the events that it finished; what is not finished at the end of a stream is dropped, as the standard says.
 */
export function createSseParser(): (text: string) => ServerEvent[] {
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
  };

  return (text) => {
    rest += text;
    if (isFirst && rest !== "") {
      isFirst = false;
      if (rest.startsWith("\uFEFF")) rest = rest.slice(1);
    }
    const finished: ServerEvent[] = [];
    // A carriage return at the very end may be half of a line end, so it waits for what follows.
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

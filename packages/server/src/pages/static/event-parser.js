/**
 * Reads Server-Sent Events from text that comes in any pieces. `onEvent` gets `{ id, type, data }` for every finished
 * event that has data; what is not finished at the end of a stream is dropped, as the standard says.
 */
export function createEventParser(onEvent) {
  let rest = "";
  let isFirst = true;
  let lastId = "";
  let type = "";
  let data = [];

  const dispatch = () => {
    if (data.length > 0) onEvent({ id: lastId, type: type || "message", data: data.join("\n") });
    type = "";
    data = [];
  };
  const readLine = (line) => {
    if (line === "") return dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") type = value;
    else if (field === "id" && !value.includes("\0")) lastId = value;
  };

  return (text) => {
    rest += text;
    if (isFirst && rest !== "") {
      rest = rest.replace(/^\uFEFF/, "");
      isFirst = false;
    }
    // A carriage return at the very end may be half of a line end, so it waits for what follows.
    for (let end = /\r\n|\n|\r(?!$)/.exec(rest); end; end = /\r\n|\n|\r(?!$)/.exec(rest)) {
      readLine(rest.slice(0, end.index));
      rest = rest.slice(end.index + end[0].length);
    }
  };
}

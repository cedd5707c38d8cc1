import { expect, it } from "vitest";
import { createSseParser } from "./sse-parser.ts";

const stream =
  '\uFEFF: hello\r\nid: 1\revent: a\ndata: {"x"\ndata::1}\n\nid\ndata\n\nevent: b\n\nid: 2\ndata:  last\r\n\r\ndata: cut';

it("the SSE parser reads the same events however the stream is split", () => {
  for (let size = 1; size <= stream.length; size++) {
    const parse = createSseParser();
    const events = [];
    for (let at = 0; at < stream.length; at += size) events.push(...parse(stream.slice(at, at + size)));
    expect(events).toEqual([
      { id: "1", type: "a", data: '{"x"\n:1}' },
      { id: "", type: "message", data: "" },
      { id: "2", type: "message", data: " last" },
    ]);
  }
});

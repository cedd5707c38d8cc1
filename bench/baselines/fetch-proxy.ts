import { createServer } from "node:http";
import { serveChild } from "../serve-child.ts";

/** A simple hand-written proxy: the built-in fetch, lines split and parsed, events written again. */
const upstreamUrl = process.argv[2] ?? "";
await serveChild(
  createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const chunk of incoming.setEncoding("utf8")) body += chunk;
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${upstreamUrl}${incoming.url}`, { method: "POST", headers, body });
    outgoing.writeHead(response.status, { "content-type": "text/event-stream" });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of response.body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: ")) continue;
        if (line === "data: [DONE]") outgoing.write("event: stop\ndata: {}\n\n");
        else writeDelta(JSON.parse(line.slice(6)));
      }
    }
    outgoing.end();

    function writeDelta(chunk: { choices: Array<{ delta: { content?: string } }> }) {
      const text = chunk.choices[0]?.delta.content;
      if (text) outgoing.write(`event: delta\ndata: ${JSON.stringify({ type: "delta", text })}\n\n`);
    }
  }),
);

import { readFileSync } from "node:fs";
import type { Exchange } from "./upstream.ts";

const folder = new URL("streams/", import.meta.url);

/**
 * The lines of a file in `streams/`, one event per line. The first part of the file's name is the provider whose format
 * it has.
 */
export function streamLines(name: string): string[] {
  return readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .trim()
    .split("\n");
}

/** Responds with a stream, framed as the provider's server frames it. `lines` replaces the lines of the file. */
export function replay(name: string, lines = streamLines(name)) {
  const isChatCompletion = !/^(anthropic|openai-responses|google)\./.test(name);
  return answerWith(frameLines(name, lines) + (isChatCompletion ? "data: [DONE]\n\n" : ""));
}

/** Responds with a stream up to the first line that matches, and then ends the response normally. */
export function replayUntil(name: string, last: RegExp) {
  const lines = streamLines(name);
  const end = lines.findIndex((line) => last.test(line));
  return answerWith(frameLines(name, lines.slice(0, end)));
}

function answerWith(stream: string) {
  return ({ response }: Exchange): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(stream);
  };
}

function frameLines(name: string, lines: string[]): string {
  const isNamed = /^(anthropic|openai-responses)\./.test(name);
  return lines.map((line) => `${isNamed ? `event: ${typeIn(line)}\n` : ""}data: ${line}\n\n`).join("");
}

/** Parsed with a pattern, because tests also send broken lines. */
function typeIn(line: string): string {
  return /"type":"([\w.]+)"/.exec(line)?.[1] ?? "unknown";
}

import { existsSync, readFileSync } from "node:fs";
import type { Exchange } from "./upstream.ts";

const folder = new URL("../../shared/recorded-streams/", import.meta.url);

/** False where the recordings are not at hand; what needs them is then skipped. */
export const hasRecordings = existsSync(folder);

/** The lines of a recording, one event each. The first part of its name says in whose format it is. */
export function recordedLines(name: string): string[] {
  return readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .trim()
    .split("\n");
}

/** Answers with a recording, framed as the provider's server frames it. `lines`: these instead of the file's own. */
export function replay(name: string, lines = recordedLines(name)) {
  const isChatCompletion = !/^(anthropic|openai-responses|google)\./.test(name);
  return answerWith(framed(name, lines) + (isChatCompletion ? "data: [DONE]\n\n" : ""));
}

/** Answers with a recording up to the first line that matches, then ends as if all were well. */
export function replayUntil(name: string, last: RegExp) {
  const lines = recordedLines(name);
  const end = lines.findIndex((line) => last.test(line));
  return answerWith(framed(name, lines.slice(0, end)));
}

function answerWith(stream: string) {
  return ({ response }: Exchange): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(stream);
  };
}

function framed(name: string, lines: string[]): string {
  const isNamed = /^(anthropic|openai-responses)\./.test(name);
  return lines.map((line) => `${isNamed ? `event: ${typeIn(line)}\n` : ""}data: ${line}\n\n`).join("");
}

/** Not by parsing it: some recorded lines are broken. */
function typeIn(line: string): string {
  return /"type":"([\w.]+)"/.exec(line)?.[1] ?? "unknown";
}

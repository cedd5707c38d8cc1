import { existsSync, readFileSync } from "node:fs";
import type { Exchange } from "./upstream.ts";

const folder = new URL("../../shared/recorded-streams/", import.meta.url);

/** False where the recordings are not at hand; what needs them is then skipped. */
export const hasRecordings = existsSync(folder);

/** The events that a provider's server once sent. The name's first part says in which provider's format. */
export function recorded<Event>(name: string): Event[] {
  return linesOf(name).map((line) => JSON.parse(line));
}

/** Answers with a recording, framed as the provider's server frames it. */
export function replay(name: string) {
  return ({ response }: Exchange): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(framed(name));
  };
}

function framed(name: string): string {
  const lines = linesOf(name);
  if (/^(anthropic|openai-responses)\./.test(name)) {
    return lines.map((line) => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`).join("");
  }
  const events = lines.map((line) => `data: ${line}\n\n`).join("");
  return name.startsWith("google.") ? events : `${events}data: [DONE]\n\n`;
}

function linesOf(name: string): string[] {
  return readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .trim()
    .split("\n");
}

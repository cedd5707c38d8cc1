import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { LAST_WORD, type Script, scriptName } from "./upstream-script.ts";

/** Where a reply is requested; `ending` occurs only in a complete response. */
export type Endpoint = { url: string; body: string; script: Script; ending: string };

const QUESTION = "What are your opening hours on public holidays, and can I bring my dog?";

/** A new conversation of an agent with this script. */
export function chatEndpoint(foyerUrl: string, agentId: string, script: Script): Endpoint {
  const body = JSON.stringify({ agentId, messages: [{ role: "user", content: QUESTION }] });
  return { url: `${foyerUrl}/chat`, body, script, ending: '"stopReason":"end_turn"' };
}

/** The provider's stand-in itself, or a proxy in front of it. */
export function completionEndpoint(url: string, script: Script, ending = "data: [DONE]"): Endpoint {
  const messages = [
    { role: "system", content: "You are a helpful assistant. Answer briefly." },
    { role: "user", content: QUESTION },
  ];
  const body = JSON.stringify({ model: scriptName(script), messages, stream: true });
  return { url: `${url}/v1/chat/completions`, body, script, ending };
}

/** The timings of one reply with timestamps, in milliseconds. Empty without timestamps. */
export type Timing = {
  /** from our request to the first token, minus the time that the provider took */
  addedToFirst: number | null;
  /** of each token, from the provider's write to our read */
  delays: number[];
};

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Requests one reply and reads it to its end. @throws when it is incomplete */
function readReply({ url, body, script, ending }: Endpoint): Promise<Timing> {
  const timing: Timing = { addedToFirst: null, delays: [] };
  const askedAt = now();
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(url, { method: "POST", agent, headers }, (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        if (script.isStamped) readTimestamps(text, askedAt, timing);
        answer += text;
      });
      response.on("error", reject);
      response.on("end", () => {
        const problem = incompleteError(response.statusCode, answer, script, timing, ending);
        if (problem) reject(new Error(`${url}: ${problem}`));
        else resolve(timing);
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

/**
 * This many concurrent streams, with this many consecutive replies on each. The first replies start evenly over
 * `rampMs`.
 */
export type StreamLoad = { streams: number; rampMs: number; replies: number };

/** @throws when a reply is incomplete */
export async function runStreams(endpoint: Endpoint, { streams, rampMs, replies }: StreamLoad): Promise<Timing[]> {
  const stream = async (_: unknown, index: number) => {
    const timings: Timing[] = [];
    await wait((index * rampMs) / streams);
    for (let done = 0; done < replies; done++) timings.push(await readReply(endpoint));
    return timings;
  };
  return (await Promise.all(Array.from({ length: streams }, stream))).flat();
}

/** A timestamp is never split: a token is in one event, and an event split by TCP would only lose one sample. */
function readTimestamps(text: string, askedAt: number, timing: Timing) {
  const readAt = now();
  for (const [, sent, received] of text.matchAll(/@(\d+\.\d\d)(?:#(\d+\.\d\d))?/g)) {
    timing.delays.push(readAt - Number(sent));
    if (received) timing.addedToFirst ??= readAt - askedAt - (Number(sent) - Number(received));
  }
}

function incompleteError(status: number | undefined, answer: string, script: Script, timing: Timing, ending: string) {
  if (status !== 200) return `HTTP ${status}: ${answer.slice(0, 500)}`;
  if (!answer.includes(ending)) return `The response ends with ${answer.slice(-500)}`;
  if (!script.isStamped) return answer.includes(LAST_WORD) ? null : "The last token did not arrive.";
  const missing = script.tokens - timing.delays.length;
  return missing > script.tokens / 20 ? `${missing} tokens did not arrive.` : null;
}

function now() {
  return performance.timeOrigin + performance.now();
}

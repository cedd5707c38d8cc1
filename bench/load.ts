import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { LAST_WORD, type Script, scriptName } from "./upstream-script.ts";

/** Where a reply is asked for; `ending` is what only a complete answer has. */
export type Endpoint = { url: string; body: string; script: Script; ending: string };

const QUESTION = "What are your opening hours on public holidays, and can I bring my dog?";

/** A new conversation of an agent that was made with this script. */
export function chatOf(foyerUrl: string, agentId: string, script: Script): Endpoint {
  const body = JSON.stringify({ agentId, messages: [{ role: "user", content: QUESTION }] });
  return { url: `${foyerUrl}/chat`, body, script, ending: '"stopReason":"end_turn"' };
}

/** The provider's stand-in itself, or what stands before it and speaks as it does. */
export function completionOf(url: string, script: Script, ending = "data: [DONE]"): Endpoint {
  const messages = [
    { role: "system", content: "You are a helpful assistant. Answer briefly." },
    { role: "user", content: QUESTION },
  ];
  const body = JSON.stringify({ model: scriptName(script), messages, stream: true });
  return { url: `${url}/v1/chat/completions`, body, script, ending };
}

/** What one reply with stamps tells, in milliseconds; empty without stamps. */
export type Timing = {
  /** from our request to the first token, less what the provider itself took for it */
  addedToFirst: number | null;
  /** of each token, from the provider's write to our read */
  delays: number[];
};

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Asks for one reply and reads it to its end. @throws when it is not complete */
function readReply({ url, body, script, ending }: Endpoint): Promise<Timing> {
  const timing: Timing = { addedToFirst: null, delays: [] };
  const askedAt = now();
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(url, { method: "POST", agent, headers }, (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        if (script.isStamped) readStamps(text, askedAt, timing);
        answer += text;
      });
      response.on("error", reject);
      response.on("end", () => {
        const problem = incomplete(response.statusCode, answer, script, timing, ending);
        if (problem) reject(new Error(`${url}: ${problem}`));
        else resolve(timing);
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

/** So many streams at once, so many replies one after the other on each; the first ones begin evenly over `rampMs`. */
export type StreamLoad = { streams: number; rampMs: number; replies: number };

/** @throws when one reply is not complete */
export async function keepStreams(endpoint: Endpoint, { streams, rampMs, replies }: StreamLoad): Promise<Timing[]> {
  const stream = async (_: unknown, index: number) => {
    const timings: Timing[] = [];
    await wait((index * rampMs) / streams);
    for (let done = 0; done < replies; done++) timings.push(await readReply(endpoint));
    return timings;
  };
  return (await Promise.all(Array.from({ length: streams }, stream))).flat();
}

/** A stamp is never cut: a token is in one event, and an event that is cut by TCP would only lose one sample. */
function readStamps(text: string, askedAt: number, timing: Timing) {
  const readAt = now();
  for (const [, sent, received] of text.matchAll(/@(\d+\.\d\d)(?:#(\d+\.\d\d))?/g)) {
    timing.delays.push(readAt - Number(sent));
    if (received) timing.addedToFirst ??= readAt - askedAt - (Number(sent) - Number(received));
  }
}

function incomplete(status: number | undefined, answer: string, script: Script, timing: Timing, ending: string) {
  if (status !== 200) return `HTTP ${status}: ${answer.slice(0, 500)}`;
  if (!answer.includes(ending)) return `The answer ends with ${answer.slice(-500)}`;
  if (!script.isStamped) return answer.includes(LAST_WORD) ? null : "The last token did not come.";
  const missing = script.tokens - timing.delays.length;
  return missing > script.tokens / 20 ? `${missing} tokens did not come.` : null;
}

function now() {
  return performance.timeOrigin + performance.now();
}

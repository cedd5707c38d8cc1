import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { serveChild } from "./serve-child.ts";
import { LAST_WORD, parseScript, type Script, TOOL_ANSWER, TOOL_NAME } from "./upstream-script.ts";

type Asked = { model: string; messages: Array<{ role: string; content: unknown }> };

/**
 * A model provider that streams chat completions, one write per token; the model's name selects the script
 * (upstream-script.ts).
 */
const server = createServer(async (request, response) => {
  const received = now();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const asked: Asked = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const script = parseScript(asked.model);
  const { calls = 0 } = script;
  const results = asked.messages.filter(({ role }) => role === "tool");
  if (results.length > 0 && !areComplete(results, calls)) {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Not the results of ${calls} calls: ${results[0]?.content}` } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (results.length < calls) {
    response.end(callTools(calls));
    return;
  }
  await sayTokens(request, response, script, received);
  if (!response.destroyed) response.end(createEnding(script.tokens));
});
server.keepAliveTimeout = 60_000;
await serveChild(server);

async function sayTokens(request: IncomingMessage, response: ServerResponse, script: Script, received: number) {
  const { tokens, everyMs, isStamped } = script;
  const startedAt = performance.now();
  for (let index = 0; index < tokens; index++) {
    // Schedule by the clock, so that a late timer does not delay the next tokens.
    if (everyMs > 0) await wait(Math.max(0, startedAt + (index + 1) * everyMs - performance.now()));
    else await nextTurn();
    if (request.socket.destroyed) return;
    response.write(isStamped ? createLine(stamp(index, received)) : plainLine(index, tokens));
  }
}

const words = [" a", " word", " streams", " from", " the", " model", " and", " passes", " through", " here", "."];
const plainLines = words.map(createLine);
const lastLine = createLine(LAST_WORD);

function plainLine(index: number, tokens: number) {
  return index === tokens - 1 ? lastLine : (plainLines[index % plainLines.length] ?? lastLine);
}

/** The time when it was sent, and for the first token also when the request arrived: see load.ts. */
function stamp(index: number, received: number) {
  return ` @${now().toFixed(2)}${index === 0 ? `#${received.toFixed(2)}` : ""}`;
}

/** A reply whose tools failed is cheaper than one whose tools ran, so it must not be measured. */
function areComplete(results: Asked["messages"], calls: number) {
  return results.length === calls && results.every(({ content }) => content === TOOL_ANSWER);
}

/** All calls of one response, including its end; their ids contain when it was sent. */
function callTools(calls: number) {
  const at = now().toFixed(2);
  const events = Array.from({ length: calls }, (_, index) => {
    const head = {
      index,
      id: `call_${index}_at_${at}`,
      type: "function",
      function: { name: TOOL_NAME, arguments: "" },
    };
    const input = { index, function: { arguments: JSON.stringify({ item: index }) } };
    return [head, input].map((call) => createChoice({ tool_calls: [call] })).join("");
  });
  return `${events.join("")}${createEnding(calls, "tool_calls")}`;
}

/** Formatted like a line of OpenAI's servers, except for the length of the random parts. */
function createLine(content: string) {
  return createChoice({ content });
}

function createChoice(delta: object) {
  return createEvent({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], usage: null });
}

function createEnding(tokens: number, reason = "stop") {
  const usage = { prompt_tokens: 20, completion_tokens: tokens, total_tokens: 20 + tokens };
  const stop = { choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: reason }], usage: null };
  return `${createEvent(stop)}${createEvent({ choices: [], usage })}data: [DONE]\n\n`;
}

function createEvent(rest: object) {
  const fixed = {
    id: "chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0",
    object: "chat.completion.chunk",
    created: 1_770_933_892,
  };
  const named = { model: "bench-2025-04-14", service_tier: "default", system_fingerprint: "fp_de604bd877" };
  return `data: ${JSON.stringify({ ...fixed, ...named, ...rest })}\n\n`;
}

/** Milliseconds since 1970 with a fraction; all our processes read the same clock. */
function now() {
  return performance.timeOrigin + performance.now();
}

import type { JSONArray, JSONObject, JSONValue } from "@ai-sdk/provider";
import { isObject } from "./json.ts";
import type { StreamFormat } from "./model-fetch.ts";

const anthropicEvents = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);
const anthropicBlocks = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const anthropicDeltas = new Set(["text_delta", "input_json_delta", "thinking_delta", "signature_delta"]);

/** Anthropic's messages. A block of an unknown type is dropped with its deltas. */
export const anthropicStream: StreamFormat = {
  createFilter() {
    const known = new Set<unknown>();
    return (event) => {
      const { type, index, error } = event;
      // Proxies leave out the type of their own errors.
      if (isObject(error)) return { type: "error", error: { type: "error", message: "", ...error } as JSONObject };
      if (typeof type !== "string" || !anthropicEvents.has(type)) return null;
      switch (type) {
        case "content_block_start":
          if (!anthropicBlocks.has(typeOf(event.content_block))) return null;
          known.add(index);
          return event;
        case "content_block_delta":
          return known.has(index) && anthropicDeltas.has(typeOf(event.delta)) ? event : null;
        case "content_block_stop":
          return known.has(index) ? event : null;
        default:
          return event;
      }
    };
  },
  toEvents(message) {
    if (message.type !== "message" || !Array.isArray(message.content)) return [];
    const blocks = message.content.flatMap((block, index) =>
      isObject(block) ? toBlockEvents(block as JSONObject, index) : [],
    );
    const { stop_reason = "end_turn", stop_sequence = null, usage = {} } = message;
    return [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      ...blocks,
      { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
      { type: "message_stop" },
    ];
  },
};

function toBlockEvents(block: JSONObject, index: number): JSONObject[] {
  const start = (content_block: JSONObject): JSONObject => ({ type: "content_block_start", index, content_block });
  const stop: JSONObject = { type: "content_block_stop", index };
  const delta = (change: JSONObject): JSONObject => ({ type: "content_block_delta", index, delta: change });
  switch (block.type) {
    case "text":
      return [start({ type: "text", text: "" }), delta({ type: "text_delta", text: block.text ?? "" }), stop];
    case "tool_use": {
      const input = delta({ type: "input_json_delta", partial_json: JSON.stringify(block.input ?? {}) });
      return [start({ ...block, input: {} }), input, stop];
    }
    case "thinking":
      return [
        start({ type: "thinking", thinking: "" }),
        delta({ type: "thinking_delta", thinking: block.thinking ?? "" }),
        delta({ type: "signature_delta", signature: block.signature ?? "" }),
        stop,
      ];
    case "redacted_thinking":
      return [start(block), stop];
    default:
      return [];
  }
}

/** OpenAI's Responses API. The SDK ignores unknown events as long as they have a type. */
export const openaiStream: StreamFormat = {
  createFilter: () => (event) => (typeof event.type === "string" || event.error || event.choices ? event : null),
  toEvents(response) {
    if (response.object !== "response" || !Array.isArray(response.output)) return [];
    const items = response.output.flatMap((item, index) =>
      isObject(item) ? toItemEvents(item as JSONObject, index) : [],
    );
    return [{ type: "response.created", response }, ...items, { type: "response.completed", response }];
  },
};

function toItemEvents(item: JSONObject, output_index: number): JSONObject[] {
  const added: JSONObject = { type: "response.output_item.added", output_index, item };
  const done: JSONObject = { type: "response.output_item.done", output_index, item };
  if (item.type !== "message") return [added, done];
  const texts = (Array.isArray(item.content) ? item.content : []).map((part) => (isObject(part) ? part.text : ""));
  const delta: JSONObject = {
    type: "response.output_text.delta",
    item_id: item.id ?? "",
    output_index,
    content_index: 0,
    delta: texts.filter((text) => typeof text === "string").join(""),
  };
  return [added, delta, done];
}

const geminiParts = ["text", "functionCall", "inlineData", "executableCode", "codeExecutionResult"];

/** Gemini's `generateContent`. A whole reply looks like an event. */
export const googleStream: StreamFormat = {
  createFilter: () => withoutUnknownParts,
  toEvents: (body) => (Array.isArray(body.candidates) || body.promptFeedback ? [body] : []),
};

function withoutUnknownParts(event: JSONObject): JSONObject | null {
  if (event.error) return event;
  if (!Array.isArray(event.candidates)) return event.promptFeedback || event.usageMetadata ? event : null;
  const [candidate, ...others] = event.candidates;
  if (!isObject(candidate) || !isObject(candidate.content) || !Array.isArray(candidate.content.parts)) return event;
  const isKnown = (part: unknown) =>
    isObject(part) && (geminiParts.some((name) => name in part) || "thoughtSignature" in part);
  const { parts } = candidate.content;
  if (parts.every(isKnown)) return event;
  const content = { ...candidate.content, parts: parts.filter(isKnown) };
  return { ...event, candidates: [{ ...candidate, content } as JSONObject, ...others] };
}

/** Mistral's chat completions. The SDK needs a choice in every event, and knows two kinds of content. */
export const mistralStream: StreamFormat = {
  createFilter: () => (event) => {
    const choice = Array.isArray(event.choices) ? event.choices[0] : undefined;
    if (isObject(choice) && isObject(choice.delta)) return withKnownContent(event, choice as JSONObject);
    if (event.error || event.object === "error") return event;
    return isObject(event.usage) ? { ...event, choices: [{ index: 0, delta: {}, finish_reason: null }] } : null;
  },
  toEvents(body) {
    const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
    if (!isObject(choice) || !isObject(choice.message)) return [];
    return [{ ...body, choices: [{ index: 0, ...choice, message: null, delta: choice.message } as JSONObject] }];
  },
};

function withKnownContent(event: JSONObject, choice: JSONObject): JSONObject {
  const delta = choice.delta as JSONObject;
  if (!Array.isArray(delta.content)) return event;
  const isKnown = (part: JSONValue) => ["text", "thinking"].includes(typeOf(part));
  if (delta.content.every(isKnown)) return event;
  const content: JSONArray = delta.content.filter(isKnown);
  return { ...event, choices: [{ ...choice, delta: { ...delta, content } }] };
}

function typeOf(value: unknown): string {
  return isObject(value) && typeof value.type === "string" ? value.type : "";
}

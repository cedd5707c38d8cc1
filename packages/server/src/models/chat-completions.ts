import type { Readable } from "node:stream";
import { APICallError, type JSONArray, type JSONObject, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { StreamedBody } from "../outbound/streamed-body.ts";
import { toChatMessages, toChatToolChoice, toChatTools } from "./chat-completions-prompt.ts";
import { readChatCompletion } from "./chat-completions-stream.ts";
import type { CallbackModel } from "./chat-model.ts";
import { formatCall } from "./format-prompt.ts";
import { chatCompletionsPrompt } from "./prompt-formats.ts";
import { findProviderMessage } from "./provider-message.ts";

/**
 * Sends one request and resolves when the response headers arrive. The body is a stream of Buffers. Rejects when there
 * is no response. Aborting the signal destroys the body.
 */
export type SendStream = (request: {
  url: string;
  method: "POST";
  headers: Record<string, string>;
  body: string | StreamedBody;
  signal?: AbortSignal;
}) => Promise<Response>;

type Response = { status: number; headers: Record<string, string | string[] | undefined>; body: Readable };

const maxErrorBytes = 64 * 1024;

/**
 * A model behind a chat completions endpoint, as defined by OpenAI and implemented by many servers. `url` is the full
 * URL of the endpoint, and `headers` contain the key.
 *
 * `streamTo` supports the messages, tools, tool choice, temperature and output limit of a call and ignores its other
 * settings. For a response other than 2xx it throws `APICallError` with the provider's message for the operator and
 * without the request body, which contains a visitor's messages. Errors of `send` propagate.
 * See `readChatCompletion` for the parts.
 */
export function createChatCompletionsModel(options: {
  provider: string;
  modelId: string;
  url: string;
  headers: Record<string, string>;
  send: SendStream;
}): CallbackModel {
  const { provider, modelId, url, send } = options;
  const ownHeaders = withHeaders({ accept: "text/event-stream", "content-type": "application/json" }, options.headers);
  const format = chatCompletionsPrompt(modelId);
  return {
    provider,
    modelId,
    async streamTo(call, onPart) {
      const signal = call.abortSignal;
      const headers = withHeaders(ownHeaders, call.headers);
      const created = createBody(modelId, formatCall(call, format));
      const json = JSON.stringify(call.editBody ? call.editBody(created) : created);
      const body = call.files ? call.files.fill(json) : json;
      const response = await send({ url, method: "POST", headers, body, ...(signal && { signal }) });
      if (response.status < 200 || response.status > 299) throw await toCallError(url, response, signal);
      await readChatCompletion(response.body, onPart, { url, signal, onActivity: call.onActivity });
    },
  };
}

function createBody(model: string, call: LanguageModelV4CallOptions): JSONObject {
  const tools = toChatTools(call.tools);
  const toolChoice = tools && toChatToolChoice(call.toolChoice);
  return {
    model,
    messages: toChatMessages(call.prompt) as JSONArray,
    stream: true,
    stream_options: { include_usage: true },
    ...(call.temperature !== undefined && { temperature: call.temperature }),
    ...(call.maxOutputTokens !== undefined && { max_tokens: call.maxOutputTokens }),
    ...(tools && { tools: tools as JSONArray }),
    ...(toolChoice && { tool_choice: toolChoice }),
  };
}

function withHeaders(base: Record<string, string>, added: Record<string, string | undefined> | undefined) {
  const headers = { ...base };
  for (const [name, value] of Object.entries(added ?? {})) if (value !== undefined) headers[name.toLowerCase()] = value;
  return headers;
}

async function toCallError(url: string, { status, headers, body }: Response, signal: AbortSignal | undefined) {
  const text = await readStart(body);
  signal?.throwIfAborted();
  return new APICallError({
    message: findErrorMessage(text) || `The model's server answered with status ${status}.`,
    url,
    requestBodyValues: undefined,
    responseBody: text,
    statusCode: status,
    responseHeaders: joinHeaderValues(headers),
  });
}

/** Reads up to 64 KiB of a body as text. Leaving the loop early destroys the body. */
async function readStart(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxErrorBytes) break;
    }
  } catch {
    // If the connection breaks here, the status alone describes the problem.
  }
  return Buffer.concat(chunks).toString("utf8", 0, maxErrorBytes);
}

/** The provider's message from an error body, or the body itself when its format is unknown. */
function findErrorMessage(text: string): string {
  try {
    const message = findProviderMessage(JSON.parse(text));
    if (message !== "") return message;
  } catch {
    // The body is not JSON. Proxies respond with plain text, for example.
  }
  return text.trim().slice(0, 1000);
}

function joinHeaderValues(headers: Response["headers"]): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) plain[name] = String(value);
  return plain;
}

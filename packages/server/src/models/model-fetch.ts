import type { JSONObject } from "@ai-sdk/provider";
import type { OutboundInit } from "../outbound/guarded-fetch.ts";
import type { ModelCall, StreamModel } from "./chat-model.ts";
import { createEventStreamReader, maxEventCharacters } from "./event-stream.ts";
import { isObject, parseOrNull } from "./json.ts";
import type { Connection } from "./provider.ts";
import { findErrorStatus, findProviderMessage } from "./provider-message.ts";

/**
 * What the AI SDK understands of a provider's streams. The SDK fails for an event, block or part that it does not know,
 * although providers ask clients to ignore them and proxies add some of their own.
 */
export type StreamFormat = {
  /** Creates a filter for one stream. It returns the event, a changed event, or null to drop it. */
  createFilter(): (event: JSONObject) => JSONObject | null;
  /** Converts the body of a whole reply, from a server that ignores that a stream was requested, to events. */
  toEvents(body: JSONObject): JSONObject[];
};

/**
 * Wraps a model of the AI SDK, which is created for each call with a `fetch` that changes the request and reads the
 * response by the rules of event streams before the SDK does.
 */
export function createSdkModel(
  { provider, modelId, connection }: { provider: string; modelId: string; connection: Connection },
  format: StreamFormat,
  create: (fetch: typeof globalThis.fetch) => Pick<StreamModel, "doStream">,
): StreamModel {
  const send = connection.outbound.fetch(connection);
  return {
    provider,
    modelId,
    doStream({ editBody, onActivity, files, ...call }) {
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const edited = editBody ? withEditedBody(init, editBody) : init;
        const response = await send(input, withFiles(edited, files));
        if (!response.ok || !response.body) return response;
        const isJson = /\bjson\b/i.test(response.headers.get("content-type") ?? "");
        return isJson ? readJsonResponse(response, format, onActivity) : filterResponse(response, format, onActivity);
      };
      return create(fetch).doStream(call);
    },
  };
}

/** The request with its JSON body changed by `edit`. */
export function withEditedBody(init: RequestInit | undefined, edit: NonNullable<ModelCall["editBody"]>) {
  if (typeof init?.body !== "string") return init;
  const body: JSONObject = JSON.parse(init.body);
  const edited = edit(body);
  return edited === body ? init : { ...init, body: JSON.stringify(edited) };
}

/** The request with the content of its pictures and files, which is read while it is sent. */
export function withFiles(init: RequestInit | undefined, files: ModelCall["files"]): OutboundInit | undefined {
  return files && typeof init?.body === "string" ? { ...init, body: files.fill(init.body) } : init;
}

function filterResponse(response: Response, format: StreamFormat, onActivity: ModelCall["onActivity"]): Response {
  const filter = format.createFilter();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let kept = "";
  const reader = createEventStreamReader((data, { name, isWhole }) => {
    if (!data.startsWith("{")) {
      if (name === "error") kept += toLine({ type: "error", error: { type: "error", message: data } });
      return true;
    }
    const event = parseOrNull(data);
    if (!isObject(event)) {
      // The SDK reports data that is not JSON.
      if (isWhole) kept += `data: ${data.replaceAll("\n", " ")}\n\n`;
      return isWhole;
    }
    const wanted = filter(event as JSONObject);
    if (wanted === event && !isWhole) kept += `data: ${data}\n\n`;
    else if (wanted) kept += toLine(wanted);
    return true;
  });
  const pass = (controller: TransformStreamDefaultController<Uint8Array>) => {
    if (kept !== "") controller.enqueue(encoder.encode(kept));
    kept = "";
  };
  const stream = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onActivity?.();
      reader.push(decoder.decode(chunk, { stream: true }));
      pass(controller);
    },
    flush(controller) {
      reader.push(decoder.decode());
      reader.end();
      pass(controller);
    },
  });
  const { status, headers } = response;
  return new Response(response.body?.pipeThrough(stream), { status, headers });
}

/** An error gets its own status, so that the SDK throws it with the provider's message. */
async function readJsonResponse(
  response: Response,
  format: StreamFormat,
  onActivity: ModelCall["onActivity"],
): Promise<Response> {
  const text = await readStart(response, onActivity);
  // Some proxies call an event stream JSON.
  if (/^\s*(?:data|event|id|retry)?:/.test(text)) return filterResponse(new Response(text), format, onActivity);
  const parsed = parseOrNull(text);
  const bodies = (Array.isArray(parsed) ? parsed : [parsed]).filter(isObject) as JSONObject[];
  const failed = bodies.find((body) => body.error || body.type === "error" || body.object === "error");
  if (failed) {
    const status = findErrorStatus(failed) ?? 400;
    const error = { type: "error", error: { type: "error", message: findProviderMessage(failed) || text } };
    return Response.json(error, { status });
  }
  const events = bodies.flatMap((body) => format.toEvents(body));
  if (events.length === 0)
    return Response.json({ error: { message: findProviderMessage(parsed) || text } }, { status: 400 });
  return new Response(events.map(toLine).join(""), { headers: { "content-type": "text/event-stream" } });
}

async function readStart({ body }: Response, onActivity: ModelCall["onActivity"]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  if (body) {
    for await (const chunk of body) {
      onActivity?.();
      text += decoder.decode(chunk, { stream: true });
      if (text.length > maxEventCharacters) throw new Error("The model sent a response of more than 1 MiB.");
    }
  }
  return text + decoder.decode();
}

const toLine = (event: JSONObject) => `data: ${JSON.stringify(event)}\n\n`;

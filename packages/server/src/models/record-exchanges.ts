import { Readable } from "node:stream";
import type { ProviderTest } from "@foyer/contract";
import type { Outbound, OutboundRequest } from "../outbound/guarded-request.ts";
import type { ChosenModel } from "./chat-model.ts";
import { redact, withoutKey } from "./provider-failure.ts";

/** The maximum number of recorded exchanges, and of characters of one body. */
const MAX_EXCHANGES = 12;
const MAX_BODY = 16 * 1024;

type Exchange = ProviderTest["exchanges"][number];
type Source = Pick<NonNullable<ChosenModel["source"]>, "apiKey" | "baseUrl">;

/** Headers that say something about the reply. All others, such as cookies and tracing, are left out. */
const shownHeaders = /^(?:content-type|retry-after.*|x-request-id|request-id|x-ratelimit-.*|date)$/;

const keyHeaders = /^(?:authorization|x-api-key|x-goog-api-key|api-key)$/;

/**
 * Wraps the client for outbound calls so that it records the exchanges with a provider, for members: with the key
 * removed, and bounded. The operator's address is not shown to an organization.
 */
export function createRecorder(outbound: Outbound, source: Source, { isHidden }: { isHidden: boolean }) {
  const exchanges: Exchange[] = [];
  const spellings = listSpellings(source.apiKey);
  const clean = (text: string) => {
    const cleaned = spellings.reduce((rest, key) => withoutKey(rest, key), text);
    // A text that is recorded in part can end within the key.
    const cut = text.length > MAX_BODY ? Math.max(0, ...spellings.map((key) => key.length)) : 0;
    return cleaned.slice(0, Math.max(0, Math.min(MAX_BODY, cleaned.length - cut))).toWellFormed();
  };
  // Redacting joins lines, so each line is redacted on its own.
  const hideAddresses = (text: string) =>
    text
      .split("\n")
      .map((line) => redact(line, source))
      .join("\n");
  const show = (text: string) => (isHidden ? hideAddresses(clean(text)) : clean(text));

  /** The path of a base URL belongs to the operator's address, because gateways have names of accounts in it. */
  const hideBaseUrl = (url: string) =>
    `(address)${url.startsWith(source.baseUrl) ? url.slice(source.baseUrl.length) : ""}`;

  function open(request: { url: string; method: string; headers: Record<string, string>; body?: unknown }): Exchange {
    const body = typeof request.body === "string" ? show(request.body) : null;
    const shownUrl = isHidden ? hideBaseUrl(request.url) : withoutCredentials(request.url);
    const exchange: Exchange = {
      request: {
        method: request.method,
        url: withoutKey(shownUrl, source.apiKey),
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [
            name,
            keyHeaders.test(name.toLowerCase()) ? "***" : show(value),
          ]),
        ),
        body,
      },
      response: null,
    };
    if (exchanges.length < MAX_EXCHANGES) exchanges.push(exchange);
    return exchange;
  }

  function respond(exchange: Exchange, status: number, headers: Iterable<[string, unknown]>) {
    const shown = [...headers].filter(([name, value]) => value !== undefined && shownHeaders.test(name.toLowerCase()));
    const decoder = new TextDecoder();
    let text = "";
    exchange.response = {
      status,
      headers: Object.fromEntries(shown.map(([name, value]) => [name, show(String(value))])),
      // Redacting takes time, so it is done once, when the exchange is read.
      get body() {
        return show(text);
      },
      get isTruncated() {
        return text.length > MAX_BODY;
      },
    };
    return (chunk: Uint8Array) => {
      if (text.length <= MAX_BODY) text += decoder.decode(chunk, { stream: true });
    };
  }

  const recording: Outbound = {
    ...outbound,
    async request(options) {
      const exchange = open({ ...options, headers: options.headers ?? {} });
      const answer = await outbound.request(options);
      respond(exchange, answer.status, Object.entries(answer.headers))(answer.body);
      return answer;
    },
    async stream(options: OutboundRequest) {
      const exchange = open({ ...options, headers: options.headers ?? {} });
      const answer = await outbound.stream(options);
      const record = respond(exchange, answer.status, Object.entries(answer.headers));
      return { ...answer, body: Readable.from(recordBody(answer.body, record), { objectMode: false }) };
    },
    fetch(trust) {
      const send = outbound.fetch(trust);
      return async (input, init) => {
        const { method = "GET", headers: sent, body: sentBody } = init ?? {};
        const exchange = open({
          url: String(input),
          method,
          headers: Object.fromEntries(new Headers(sent)),
          body: sentBody,
        });
        const response = await send(input, init);
        const record = respond(exchange, response.status, response.headers);
        const { status, headers, body } = response;
        const copy = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            record(chunk);
            controller.enqueue(chunk);
          },
        });
        return new Response(body?.pipeThrough(copy), { status, headers });
      };
    },
  };
  return { outbound: recording, exchanges };
}

/** The key as it is, and as it is written in JSON, by PHP with escaped slashes. */
function listSpellings(apiKey: string | null): string[] {
  if (apiKey === null) return [];
  const inJson = JSON.stringify(apiKey).slice(1, -1);
  return [...new Set([apiKey, inJson, inJson.replaceAll("/", "\\/")])];
}

function withoutCredentials(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search}`;
}

async function* recordBody(body: Readable, record: (chunk: Uint8Array) => void) {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    record(chunk);
    yield chunk;
  }
}

import { Readable } from "node:stream";
import { OutboundError } from "./outbound-error.ts";
import { StreamedBody } from "./streamed-body.ts";

type StreamedResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: Readable };

/** The function `stream` of guarded-request.ts with `trust` already set. */
type OpenStream = (options: {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array | StreamedBody | undefined;
  signal?: AbortSignal | undefined;
}) => Promise<StreamedResponse>;

/** A `fetch` that also sends bodies which are read while they are sent. */
export type OutboundFetch = (input: string | URL | Request, init?: OutboundInit) => Promise<Response>;
export type OutboundInit = Omit<RequestInit, "body"> & { body?: BodyInit | StreamedBody | null };

/**
 * Creates a standard `fetch` on top of `stream`, for libraries that need one. It rejects compressed responses, because
 * undici's own `fetch` would decompress whatever the server sends. It also rejects redirects, regardless of the
 * `redirect` option. Failures are OutboundErrors. After an abort, it throws the signal's reason.
 */
export function createFetch(openStream: OpenStream): OutboundFetch {
  return async (input, init) => {
    const isRequest = input instanceof Request;
    // The placeholder URL is never used: `Request` only normalizes headers and body, and the real URL is checked when
    // the stream is opened.
    const { method, headers, body } = await readRequest(isRequest ? input : "http://unused.invalid", init);
    const signal = init?.signal ?? (isRequest ? input.signal : undefined);
    const response = await openStream({
      url: isRequest ? input.url : String(input),
      method,
      headers: { ...headers, "accept-encoding": "identity" },
      body,
      signal,
    });
    return createResponse(response);
  };
}

async function readRequest(input: Request | string, init: OutboundInit | undefined) {
  const { body, ...rest } = init ?? {};
  const isStreamed = body instanceof StreamedBody;
  const request = new Request(input, { ...rest, ...(body === undefined || isStreamed ? {} : { body }), signal: null });
  return {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: isStreamed ? body : request.body ? new Uint8Array(await request.arrayBuffer()) : undefined,
  };
}

function createResponse({ status, headers, body }: StreamedResponse): Response {
  const problem = findProblem(status, headers["content-encoding"]);
  if (problem) {
    body.destroy();
    throw new OutboundError("unreachable", problem);
  }
  const responseHeaders = new Headers();
  for (const [name, value = []] of Object.entries(headers)) {
    for (const item of Array.isArray(value) ? value : [value]) responseHeaders.append(name, item);
  }
  const isEmpty = status === 204 || status === 205;
  if (isEmpty) body.resume();
  // The cast is needed because Node's types and the DOM's types declare the same stream class separately.
  return new Response(isEmpty ? null : (Readable.toWeb(body) as ReadableStream), { status, headers: responseHeaders });
}

function findProblem(status: number, encoding: string | string[] | undefined): string | null {
  if (status > 599) return `The server responded with the unknown status code ${status}.`;
  if (encoding && String(encoding).toLowerCase() !== "identity") {
    return `The server sent a compressed response (${encoding}), which the request did not accept.`;
  }
  return null;
}

import { Readable } from "node:stream";
import { OutboundError } from "./outbound-error.ts";

type StreamedResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: Readable };

/** `stream` of guarded-request.ts with the trust already set. */
type OpenStream = (options: {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array | undefined;
  signal?: AbortSignal | undefined;
}) => Promise<StreamedResponse>;

/**
 * A standard `fetch` on top of `stream`, for libraries that need one. undici's own would decompress whatever the server
 * sends; here a compressed response is an error. So is a redirect, whatever `redirect` says. Failures are
 * OutboundErrors; after an abort it throws the signal's reason.
 */
export function createFetch(openStream: OpenStream): typeof globalThis.fetch {
  return async (input, init) => {
    const isRequest = input instanceof Request;
    // Request only normalizes headers and body. The URL is checked when the stream is opened.
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

async function readRequest(input: Request | string, init: RequestInit | undefined) {
  const request = new Request(input, { ...init, signal: null });
  return {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: request.body ? new Uint8Array(await request.arrayBuffer()) : undefined,
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
  // Node's types and the DOM's types describe the same stream class twice.
  return new Response(isEmpty ? null : (Readable.toWeb(body) as ReadableStream), { status, headers: responseHeaders });
}

function findProblem(status: number, encoding: string | string[] | undefined): string | null {
  if (status > 599) return `The server responded with the unknown status ${status}.`;
  if (encoding && String(encoding).toLowerCase() !== "identity") {
    return `The server compressed its response (${encoding}) although it was asked not to.`;
  }
  return null;
}

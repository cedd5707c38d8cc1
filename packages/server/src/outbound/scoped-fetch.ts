import { AsyncLocalStorage } from "node:async_hooks";
import { OutboundError } from "./outbound-error.ts";

type Fetch = typeof globalThis.fetch;

const scope = new AsyncLocalStorage<Fetch>();
const originalFetch = globalThis.fetch;
let isInstalled = false;

/**
 * Runs `work` with this `fetch` in place of the global one, also in everything that `work` starts. It is for libraries
 * that do not accept a custom `fetch`.
 */
export function withFetch<T>(fetch: Fetch, work: () => Promise<T>): Promise<T> {
  if (!isInstalled) globalThis.fetch = (...call) => (scope.getStore() ?? originalFetch)(...call);
  isInstalled = true;
  return scope.run(fetch, work);
}

/**
 * Creates a `fetch` for short responses. Each call takes at most `timeoutMs`, including the body, which may have at
 * most `maxBytes`.
 * @throws OutboundError if the URL must not be called, the response is too large or the time is over
 */
export function createBoundedFetch(
  fetch: Fetch,
  { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
): Fetch {
  return async (input, init) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init?.signal ? AbortSignal.any([deadline, init.signal]) : deadline;
    try {
      const { status, headers, body } = await fetch(input, { ...init, signal });
      return new Response(body && (await readUpTo(body, maxBytes)), { status, headers });
    } catch (error) {
      if (!deadline.aborted) throw error;
      throw new OutboundError("timeout", `The server did not respond completely within ${timeoutMs / 1_000} s.`);
    }
  };
}

async function readUpTo(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new OutboundError("too_large", `The response is larger than ${maxBytes} bytes.`);
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}

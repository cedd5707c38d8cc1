import { AsyncLocalStorage } from "node:async_hooks";
import { OutboundError } from "./outbound-error.ts";

type Fetch = typeof globalThis.fetch;

const scope = new AsyncLocalStorage<Fetch>();
const original = globalThis.fetch;
let isInstalled = false;

/**
 * Runs code that knows no other way out than the global `fetch`: within `work`, and in whatever it starts, that one is
 * ours. For libraries that take no `fetch` of their own.
 */
export function withFetch<T>(fetch: Fetch, work: () => Promise<T>): Promise<T> {
  if (!isInstalled) globalThis.fetch = (...call) => (scope.getStore() ?? original)(...call);
  isInstalled = true;
  return scope.run(fetch, work);
}

/**
 * A `fetch` for short answers: each call takes `timeoutMs` at most, its body included, which has `maxBytes` at most.
 * Whoever cannot be called so throws an OutboundError.
 */
export function boundedFetch(fetch: Fetch, { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number }): Fetch {
  return async (input, init) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init?.signal ? AbortSignal.any([deadline, init.signal]) : deadline;
    try {
      const { status, headers, body } = await fetch(input, { ...init, signal });
      return new Response(body && (await readUpTo(body, maxBytes)), { status, headers });
    } catch (error) {
      if (!deadline.aborted) throw error;
      throw new OutboundError("timeout", `There was no complete answer within ${timeoutMs / 1_000} s.`);
    }
  };
}

async function readUpTo(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new OutboundError("too_large", `The answer is longer than ${maxBytes} bytes.`);
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}

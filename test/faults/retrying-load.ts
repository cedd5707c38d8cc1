import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import type { Server } from "./fault-site.ts";

/**
 * Clients that send one request after another until the server is gone, and then repeat what it did not answer, with
 * the same key.
 * @param send sends one request with an idempotency key; rejects with a TypeError when there is no response
 * @param options.pauseMs the pause of a client after each response
 */
export function createRetryingLoad<Answer>(
  send: (server: Server, key: string) => Promise<Answer>,
  { clients, pauseMs = 0 }: { clients: number; pauseMs?: number },
) {
  const acknowledged: Answer[] = [];
  const unanswered = new Map<number, string>();
  let requests = 0;

  /** @returns false when there was no response */
  async function ask(server: Server, client: number): Promise<boolean> {
    const key = unanswered.get(client) ?? `request-${requests++}`;
    unanswered.set(client, key);
    let answer: Answer;
    try {
      answer = await send(server, key);
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
    unanswered.delete(client);
    acknowledged.push(answer);
    return true;
  }

  return {
    /** The responses to all requests, one for each. */
    acknowledged,
    /** Sends requests until the server is gone, or until `signal`. */
    async run(server: Server, signal?: AbortSignal): Promise<void> {
      const client = async (_: unknown, index: number) => {
        while (!signal?.aborted && (await ask(server, index))) if (pauseMs > 0) await wait(pauseMs);
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
    /** Retries the requests that are still unanswered. */
    async finish(server: Server): Promise<void> {
      for (const client of [...unanswered.keys()]) expect(await ask(server, client)).toBe(true);
    },
  };
}

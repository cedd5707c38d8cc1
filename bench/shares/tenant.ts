import { setTimeout as wait } from "node:timers/promises";
import type { Foyer } from "../foyer-process.ts";

const MAX_SIGN_INS = 8;

type Answer = { status: number; body: string };

/** An organization with an agent, and its owner's session. */
export type Tenant = {
  agentId: string;
  /** Calls the API. @throws when the status is not 2xx */
  call<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  /** Calls the API, whatever it answers. */
  ask(method: string, path: string, body?: object): Promise<Answer>;
  /** Uploads a file for the agent. @returns the document's id */
  upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Waits until a document can be searched, or could not be read. */
  reads(documentId: string): Promise<void>;
};

/** A figure that this server has about the share of a pool. */
export type PoolMetric = "in_use" | "waiting" | "largest_share" | "refused_total";

/** Signs up a new organization. The server must allow it. */
export async function signUp(foyer: Foyer, name: string): Promise<Tenant> {
  const headers: Record<string, string> = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
  const credentials = { email: `${name}@example.com`, password: "a password for the bench" };
  await send("POST", "/auth/sign-up/email", { ...credentials, name });
  headers.cookie = await signIn();

  async function signIn(): Promise<string> {
    const body = JSON.stringify(credentials);
    for (let tries = 0; ; tries++) {
      const response = await fetch(`${foyer.url}/auth/sign-in/email`, { method: "POST", headers, body });
      const cookies = response.headers.getSetCookie().map((line) => line.split(";")[0]);
      if (response.ok) return cookies.join("; ");
      // On a server with email, the address is confirmed first.
      if (tries === MAX_SIGN_INS) throw new Error(`${name} could not sign in: ${await response.text()}`);
      await wait(500);
    }
  }

  async function send(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(foyer.url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: await answer.text() };
  }

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.slice(0, 500)}`);
    return JSON.parse(answer.body || "null");
  }

  const agent = { name: "Bench", systemPrompt: "You are a helpful assistant.", model: "foyer/demo" };
  const { data } = await call<{ data: { id: string } }>("POST", "/agents", agent);
  return {
    agentId: data.id,
    call,
    ask: send,
    async upload(name, bytes) {
      const query = new URLSearchParams({ agentId: data.id, name });
      const answer = await fetch(`${foyer.url}/documents/upload?${query}`, { method: "POST", headers, body: bytes });
      if (answer.status !== 202) throw new Error(`${name} was not accepted: ${await answer.text()}`);
      return ((await answer.json()) as { id: string }).id;
    },
    async reads(documentId) {
      for (;;) {
        const { state } = await call<{ state: string }>("GET", `/documents/${documentId}`);
        if (state === "ready" || state === "failed") return;
        await wait(10);
      }
    },
  };
}

/** Reads a metric of a pool. */
export async function readPool(foyer: Foyer, pool: string, metric: PoolMetric): Promise<number> {
  const text = await (await fetch(`${foyer.url}/metrics`)).text();
  const value = new RegExp(`^foyer_pool_${metric}\\{pool="${pool}"\\} (\\d+)`, "m").exec(text)?.[1];
  if (value === undefined) throw new Error(`There is no metric ${metric} of the pool ${pool}.`);
  return Number(value);
}

/** Repeats a call until the signal is aborted, whatever it answers. */
export async function repeat(signal: AbortSignal, clients: number, call: () => Promise<unknown>): Promise<void> {
  const client = async () => {
    while (!signal.aborted) await call().catch(() => wait(50));
  };
  await Promise.all(Array.from({ length: clients }, client));
}

import { setTimeout as wait } from "node:timers/promises";
import { conversationEvents } from "../packages/sdk/src/live-streams.ts";
import { createRequest } from "../packages/sdk/src/request.ts";

const LOST_MS = 30_000;

/** A signed-in member. */
export type MemberSession = {
  post(path: string, body?: object): Promise<void>;
  /** @returns the body of the response */
  send<Body>(method: "GET" | "POST", path: string, body?: object): Promise<Body>;
};

/** A conversation that the member has, and the visitor's client that follows it. */
export type Talk = {
  /** Writes a message as the member. @returns the milliseconds until the visitor's client received it */
  write(content: string): Promise<number>;
  close(): Promise<void>;
};

/** Signs in as the owner that the bench's servers start with. */
export async function signIn(url: string): Promise<MemberSession> {
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
  const body = JSON.stringify({ email: "bench@example.com", password: "a password for the bench" });
  const response = await fetch(`${url}/auth/sign-in/email`, { method: "POST", headers, body });
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  if (!response.ok) throw new Error(`The member could not sign in: ${await response.text()}`);
  async function send<Body>(method: "GET" | "POST", path: string, sent?: object): Promise<Body> {
    const answer = await fetch(url + path, {
      method,
      headers: sent === undefined ? { cookie } : { ...headers, cookie },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as Body;
  }
  return {
    async post(path, sent = {}) {
      await send("POST", path, sent);
    },
    send,
  };
}

/** Starts a conversation as a visitor of `visitorUrl`, makes the member take it over, and follows it as the visitor. */
export async function openConversation({
  session,
  visitorUrl,
  agentId,
}: {
  session: MemberSession;
  visitorUrl: string;
  agentId: string;
}): Promise<Talk> {
  const request = createRequest({ baseUrl: visitorUrl });
  const key = await begin(request, agentId);
  await session.post(`/conversations/${key.id}/takeover`);
  const abort = new AbortController();
  const arrived = new Map<string, (at: number) => void>();
  const isOpen = Promise.withResolvers<void>();
  const follow = async () => {
    for await (const event of conversationEvents(request, key, { signal: abort.signal })) {
      if (event.type === "ownership") isOpen.resolve();
      if (event.type === "message") arrived.get(event.message.content)?.(performance.now());
    }
  };
  const following = follow();
  await Promise.race([isOpen.promise, following]);
  return {
    async write(content) {
      const { promise, resolve } = Promise.withResolvers<number>();
      arrived.set(content, resolve);
      const sentAt = performance.now();
      await session.post(`/conversations/${key.id}/messages`, { content });
      return (await withinLimit(promise, content)) - sentAt;
    },
    async close() {
      abort.abort();
      await following;
    },
  };
}

async function withinLimit<T>(arrival: Promise<T>, content: string): Promise<T> {
  const lost = wait(LOST_MS, null, { ref: false }).then(() => {
    throw new Error(`"${content}" did not arrive within ${LOST_MS} ms.`);
  });
  return Promise.race([arrival, lost]);
}

async function begin(request: ReturnType<typeof createRequest>, agentId: string) {
  const body = { agentId, messages: [{ role: "user", content: "Hello" }] };
  const text = await (await request("/chat", { method: "POST", body })).text();
  const id = /"conversationId":"([^"]+)"/.exec(text)?.[1];
  const token = /"conversationToken":"([^"]+)"/.exec(text)?.[1];
  if (!id || !token) throw new Error(`The conversation did not begin: ${text.slice(0, 500)}`);
  return { id, token };
}
